import Reactor

/// Where a transport stream is received in datagrams.
/// ```
/// udp://239.1.1.1:5000               a multicast group
/// udp://192.0.2.9@239.1.1.1:5000     what this host sends to the group (source-specific multicast, in VLC's form)
/// udp://@:5000                       a port of this host
/// udp://192.0.2.2:5000               the port at one of this host's addresses
/// ```
/// Of FFmpeg's parameters, `sources` (the hosts whose datagrams are received) and `localaddr` (an address of the interface) are used.
/// Other parameters, such as `pkt_size`, do not affect receivers and are left out.
struct DatagramURL: Hashable, Sendable {
    /// A group, or an address of this host, which may be the unspecified one.
    let address: SocketAddress
    /// The hosts whose datagrams to the group are received; all if there are none.
    let sources: [SocketAddress]
    /// An address of the interface that joins the group; `nil` for the interface of the route.
    let interface: SocketAddress?

    init(_ text: String) throws(DatagramURLError) {
        let rest = text.dropFirst("udp://".count)
        let question = rest.firstIndex(of: "?") ?? rest.endIndex
        var authority = rest[..<question]
        if authority.hasSuffix("/") { authority = authority.dropLast() }
        let parts = authority.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        let address = try Self.endpoint(parts[parts.count - 1])
        let values = Self.parameters(rest[question...].dropFirst())
        var sources = values["sources"]?.split(separator: ",") ?? []
        if parts.count == 2, !parts[0].isEmpty { sources.append(parts[0]) }
        let local = try values["localaddr"].map { text throws(DatagramURLError) in try Self.host(text) }
        guard address.isMulticast else {
            guard sources.isEmpty else { throw .sourcesWithoutGroup }
            self.address = address.isAny ? local?.with(port: address.port) ?? address : address
            (self.sources, interface) = ([], nil)
            return
        }
        (self.address, interface) = (address, local)
        self.sources = try sources.map { text throws(DatagramURLError) in
            let source = try Self.host(text)
            guard source.family == address.family else { throw .otherFamily(source.host) }
            return source
        }
    }

    private static func endpoint(_ text: Substring) throws(DatagramURLError) -> SocketAddress {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0 else {
            throw .noPort
        }
        let name = text[..<colon]
        return name.isEmpty ? .any(.ipv6, port: port) : try host(name).with(port: port)
    }

    /// A numeric address, because a name could mean another host at the next start.
    private static func host(_ text: Substring) throws(DatagramURLError) -> SocketAddress {
        let bare = text.hasPrefix("[") && text.hasSuffix("]") ? text.dropFirst().dropLast() : text
        guard let address = SocketAddress(String(bare), port: 0) else { throw .host(String(text)) }
        return address
    }

    private static func parameters(_ query: Substring) -> [Substring: Substring] {
        var values: [Substring: Substring] = [:]
        for pair in query.split(separator: "&") {
            let equals = pair.firstIndex(of: "=") ?? pair.endIndex
            values[pair[..<equals]] = pair[equals...].dropFirst()
        }
        return values
    }

    /// The transport that users are shown.
    var transport: String { address.isMulticast ? "multicast" : "UDP" }

    /// A socket that receives the datagrams.
    func socket() throws(SystemError) -> UDPSocket {
        if address.isMulticast { return try UDPSocket(receiving: address, from: sources, onInterfaceHaving: interface) }
        guard address.isAny, address.family == .ipv6 else { return try UDPSocket(at: address) }
        return try UDPSocket.onAllAddresses(port: address.port)
    }
}

/// Why a text does not say where datagrams are received.
enum DatagramURLError: Error, Hashable, Sendable, CustomStringConvertible {
    case noPort
    case host(String)
    case sourcesWithoutGroup
    case otherFamily(String)

    var description: String {
        switch self {
        case .noPort: "write udp://GROUP:PORT for a multicast group, or udp://@:PORT for a port of this host"
        case .host(let text): "\(text) is not a numeric address"
        case .sourcesWithoutGroup: "only a multicast group has sources"
        case .otherFamily(let text): "\(text) is not an address of the group's family"
        }
    }
}
