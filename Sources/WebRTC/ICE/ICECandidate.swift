/// An address at which the server can be reached (RFC 8839, section 5.1).
public struct ICECandidate: Hashable, Sendable {
    public let transport: Transport
    /// An IPv4 or IPv6 literal.
    public let address: String
    public let port: UInt16
    public let kind: Kind
    /// The order of preference: 0 is the best.
    public let rank: Int

    public enum Transport: Hashable, Sendable {
        case udp
        /// The server waits for connections (RFC 6544).
        case tcpPassive
    }

    public enum Kind: Hashable, Sendable {
        case host
        /// The address that a NAT in front of the server has, and the server's own behind it.
        case serverReflexive(related: String, port: UInt16)
    }

    public init(_ transport: Transport, address: String, port: UInt16, kind: Kind = .host, rank: Int = 0) {
        (self.transport, self.address, self.port, self.kind) = (transport, address, port, kind)
        self.rank = rank
    }

    /// The value of `a=candidate:`. Component 1 is RTP and RTCP on one port.
    public var attributeValue: String {
        var text = "\(foundation) 1 \(transport == .udp ? "udp" : "tcp") \(priority) \(address) \(port) typ "
        switch kind {
        case .host: text += "host"
        case .serverReflexive(let related, let port): text += "srflx raddr \(related) rport \(port)"
        }
        return transport == .udp ? text : text + " tcptype passive"
    }

    /// Candidates with one foundation have the same kind, transport and base (RFC 8445, section 5.1.1.3).
    private var foundation: Int {
        let base = 2 * rank + (transport == .udp ? 1 : 2)
        return kind == .host ? base : base + 1_000
    }

    /// RFC 8445, section 5.1.2.1: first the kind, then our preference, where UDP comes before TCP (RFC 6544, section 4.2).
    var priority: UInt32 {
        let typePreference: UInt32 = kind == .host ? 126 : 100
        let rank = UInt32(min(max(0, rank), 8_191))
        let localPreference: UInt32 = (transport == .udp ? 65_535 : 32_767) - rank
        return typePreference << 24 | localPreference << 8 | 255
    }
}
