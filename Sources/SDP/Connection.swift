/// The Internet protocol of an address.
public enum IPVersion: String, Hashable, Sendable {
    case ipv4 = "IP4"
    case ipv6 = "IP6"
}

extension SessionDescription {
    /// A `c=` line: the address that media is sent to (RFC 8866, section 5.7).
    public struct Connection: Hashable, Sendable {
        public var ipVersion: IPVersion
        /// A literal or a host name, without blanks and `/`.
        public var address: String
        /// The TTL of multicast packets; only for IPv4, because IPv6 addresses contain a scope.
        public var timeToLive: UInt8?
        /// The number of consecutive multicast addresses of layered media; nearly always 1.
        public var addressCount: UInt16

        public init(ipVersion: IPVersion, address: String, timeToLive: UInt8? = nil, addressCount: UInt16 = 1) {
            self.ipVersion = ipVersion
            self.address = address
            self.timeToLive = timeToLive
            self.addressCount = addressCount
        }

        /// 0.0.0.0 or ::, if RTSP negotiates the address.
        public static func unspecified(_ ipVersion: IPVersion) -> Connection {
            Connection(ipVersion: ipVersion, address: ipVersion == .ipv4 ? "0.0.0.0" : "::")
        }
    }

    /// The `o=` line: the originator of a session, and the version of its description (RFC 8866, section 5.2).
    public struct Origin: Hashable, Sendable {
        public var userName: String
        public var sessionID: UInt64
        /// Increases with each change of the description.
        public var version: UInt64
        public var ipVersion: IPVersion
        public var address: String

        public init(
            userName: String = "-", sessionID: UInt64, version: UInt64, ipVersion: IPVersion = .ipv4, address: String
        ) {
            self.userName = userName
            self.sessionID = sessionID
            self.version = version
            self.ipVersion = ipVersion
            self.address = address
        }

        /// The value for a missing or malformed line.
        public static let unknown = Origin(sessionID: 0, version: 0, address: "0.0.0.0")
    }
}

extension SessionDescription.Origin {
    /// Parses `<username> <sess-id> <sess-version> IN <addrtype> <address>`; `nil` if malformed. The fields are read from the
    /// end, because TP-Link writes user names with blanks.
    init?(_ value: Substring) {
        let fields = value.fields
        guard fields.count >= 6 else { return nil }
        let tail = fields.suffix(5).map(String.init)
        guard let sessionID = UInt64(decimal: tail[0]), let version = UInt64(decimal: tail[1]),
            let ipVersion = IPVersion(rawValue: tail[3])
        else { return nil }
        self.init(
            userName: fields.dropLast(5).map(String.init).joined(separator: " "), sessionID: sessionID,
            version: version, ipVersion: ipVersion, address: tail[4])
    }
}

extension SessionDescription.Connection {
    /// Parses `IN IP4 <address>[/<ttl>[/<count>]]` or `IN IP6 <address>[/<count>]`; `nil` if malformed.
    init?(_ value: Substring) {
        let fields = value.fields
        guard fields.count >= 3, let ipVersion = IPVersion(rawValue: String(fields[1])) else { return nil }
        let parts = fields[2].pieces(separatedBy: "/").map(String.init)
        guard let address = parts.first, fields[2].utf8.first != UInt8(ascii: "/") else { return nil }
        var numbers = parts.dropFirst()
        var timeToLive: UInt8?
        if ipVersion == .ipv4, let first = numbers.popFirst() {
            guard let hops = UInt64(decimal: first), let hops = UInt8(exactly: hops) else { return nil }
            timeToLive = hops
        }
        var addressCount: UInt16 = 1
        if let first = numbers.first {
            guard let count = UInt64(decimal: first), let count = UInt16(exactly: count), count > 0 else { return nil }
            addressCount = count
        }
        self.init(ipVersion: ipVersion, address: address, timeToLive: timeToLive, addressCount: addressCount)
    }
}
