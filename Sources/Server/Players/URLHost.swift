import Reactor

/// A host as URLs name it.
public enum URLHost: Hashable, Sendable {
    /// This host, for clients that run on it.
    case local
    case address(SocketAddress)
    /// One that clients look up.
    case name(String)

    /// The host that `text` names, without brackets; `nil` where no host is named so.
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

    /// The hosts under which a server is reached that listens at `listener`: at all addresses where that is empty.
    ///
    /// - Parameter addresses: under which others find this host.
    public static func reaching(listener: String, addresses: [SocketAddress]) -> [Self] {
        guard let only = SocketAddress(listener, port: 0), !only.isAny else {
            return [.local] + addresses.map(Self.address)
        }
        return [.address(only)]
    }

    /// The one of `hosts` that most VLCs reach: by an IPv4 address that others see, where there is one.
    public static func forVLC(among hosts: [Self]) -> Self? {
        hosts.first { host in
            guard case .address(let address) = host else { return false }
            return address.family == .ipv4 && !address.isLoopback
        } ?? hosts.first { $0.vlcText != nil }
    }

    /// Whether clients reach the server by it without leaving this host.
    var isLoopback: Bool {
        switch self {
        case .local: true
        case .address(let address): address.isLoopback
        case .name: false
        }
    }

    /// As a URL has it: `localhost`, `192.0.2.7`, `[2001:db8::7]`.
    public var text: String {
        switch self {
        case .local: "localhost"
        case .address(let address): address.family == .ipv6 ? "[\(address.host)]" : address.host
        case .name(let name): name
        }
    }

    /// As a URL for VLC has it; `nil` for IPv6 addresses.
    ///
    /// VLC's SAT>IP access receives over IPv4 alone, whatever its control connection uses; so `localhost`, which may be
    /// `::1`, is spelled out.
    public var vlcText: String? {
        switch self {
        case .local: "127.0.0.1"
        case .address(let address): address.family == .ipv4 ? address.host : nil
        case .name(let name): name
        }
    }

    /// Letters, digits, hyphens and dots (RFC 1123, section 2.1), and underscores, which some hosts have.
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
