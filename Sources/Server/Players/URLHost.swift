import Reactor

/// A host in a URL.
public enum URLHost: Hashable, Sendable {
    /// This host, for clients that run on it.
    case local
    case address(SocketAddress)
    /// A name that clients resolve.
    case name(String)

    /// The host that `text` names, without brackets; `nil` if this cannot be the name of a host.
    public init?(_ text: String) {
        if text == "localhost" {
            self = .local
        } else if let address = SocketAddress(text, port: 0) {
            self = .address(address)
        } else if Self.isName(text) {
            self = .name(text)
        } else {
            return nil
        }
    }

    /// The hosts under which clients reach a server that listens at `listener`; empty means all addresses.
    ///
    /// - Parameter addresses: the addresses of this host in the network.
    public static func reaching(listener: String, addresses: [SocketAddress]) -> [Self] {
        guard let only = SocketAddress(listener, port: 0), !only.isAny else {
            return [.local] + addresses.map(Self.address)
        }
        return [.address(only)]
    }

    /// The one of `hosts` that most VLCs can reach: an IPv4 address that is not loopback, if there is one.
    public static func forVLC(among hosts: [Self]) -> Self? {
        hosts.first { host in
            guard case .address(let address) = host else { return false }
            return address.family == .ipv4 && !address.isLoopback
        } ?? hosts.first { $0.vlcText != nil }
    }

    /// Whether it is the loopback address of this host.
    var isLoopback: Bool {
        switch self {
        case .local: true
        case .address(let address): address.isLoopback
        case .name: false
        }
    }

    /// The host in a URL: `localhost`, `192.0.2.7`, `[2001:db8::7]`.
    public var text: String {
        switch self {
        case .local: "localhost"
        case .address(let address): address.family == .ipv6 ? "[\(address.host)]" : address.host
        case .name(let name): name
        }
    }

    /// The host in a URL for VLC; `nil` for IPv6 addresses.
    ///
    /// VLC's SAT>IP access receives over IPv4 only, even if its control connection uses IPv6. So `localhost`, which may be `::1`, is
    /// written as `127.0.0.1`.
    public var vlcText: String? {
        switch self {
        case .local: "127.0.0.1"
        case .address(let address): address.family == .ipv4 ? address.host : nil
        case .name(let name): name
        }
    }

    /// Letters, digits, hyphens and dots (RFC 1123, section 2.1), and underscores, which some host names contain.
    private static func isName(_ text: String) -> Bool {
        (1...253).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { scalar in
                switch scalar {
                case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_": true
                default: false
                }
            }
    }
}
