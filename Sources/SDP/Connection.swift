/// Which Internet protocol an address belongs to.
public enum IPVersion: String, Hashable, Sendable {
    case ipv4 = "IP4"
    case ipv6 = "IP6"
}

extension SessionDescription {
    /// A `c=` line: the address that media is sent to (RFC 8866, section 5.7).
    public struct Connection: Hashable, Sendable {
        public var ipVersion: IPVersion
        /// A literal or a host name, as found; neither blanks nor `/` are in it.
        public var address: String
        /// Routers that a multicast packet may pass; IPv4 only, IPv6 scopes by address.
        public var timeToLive: UInt8?
        /// How many consecutive multicast addresses layered media use; nearly always 1.
        public var addressCount: UInt16

        public init(ipVersion: IPVersion, address: String, timeToLive: UInt8? = nil, addressCount: UInt16 = 1) {
            self.ipVersion = ipVersion
            self.address = address
            self.timeToLive = timeToLive
            self.addressCount = addressCount
        }

        /// "Ask RTSP": 0.0.0.0 or ::.
        public static func unspecified(_ ipVersion: IPVersion) -> Connection {
            Connection(ipVersion: ipVersion, address: ipVersion == .ipv4 ? "0.0.0.0" : "::")
        }
    }

    /// The `o=` line: who made a session, and which edition of its description this is (RFC 8866, section 5.2).
    public struct Origin: Hashable, Sendable {
        public var userName: String
        public var sessionID: UInt64
        /// Grows whenever the description changes.
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

        /// What stands for a line that is missing or unreadable.
        public static let unknown = Origin(sessionID: 0, version: 0, address: "0.0.0.0")
    }
}
