import Glibc
import HTTP
import Media
import RTSP
import Reactor
import Synchronization

/// The names and addresses by which clients may call this server. Thread-safe.
///
/// A browser sends the name of the page's server in `Host`. If an attacker's name resolves to the address of this server (DNS
/// rebinding), the browser lets the attacker's page use this server as its own. Such a name is not among these.
final class OwnHosts: Sendable {
    private let names: Set<String>
    /// The addresses of the interfaces, and when they were looked up.
    private let cached = Mutex<(addresses: Set<IPAddress>, instant: MonotonicTime)?>(nil)

    /// How long the addresses of the interfaces are kept, in nanoseconds: a look-up takes milliseconds on a host with many.
    private static let lifetime: Int64 = 10_000_000_000

    /// - Parameter configured: names of `http.hosts`.
    init(_ configured: [Authority]) {
        var names = Set(configured.map(\.host))
        names.insert("localhost")
        if let own = Self.hostName {
            // `.local` is the name by multicast DNS (RFC 6762), which no other network can give to this host.
            names.formUnion([own, String(own.prefix { $0 != "." }), String(own.prefix { $0 != "." }) + ".local"])
        }
        self.names = names
    }

    /// Whether a client that has connected to `local` may call this server so.
    func contains(_ host: Authority, connectedTo local: IPAddress?) -> Bool {
        guard let address = IPAddress(host.host) else { return !host.isInBrackets && names.contains(host.host) }
        return address.isLoopback || address == local || names.contains(host.host)
            || interfaceAddresses.contains(address)
    }

    /// Whether the name means this host wherever it is used: `localhost`, or a loopback address.
    static func isLoopback(_ host: Authority) -> Bool {
        host.host == "localhost" || IPAddress(host.host)?.isLoopback == true
    }

    private var interfaceAddresses: Set<IPAddress> {
        let now = MonotonicTime.now()
        return cached.withLock { cached in
            if let cached, now - cached.instant < Self.lifetime { return cached.addresses }
            // If the kernel does not answer, the address of the connection is still known.
            let all = (try? LocalAddresses.all()) ?? []
            let addresses = Set(all.compactMap { IPAddress($0.host) })
            cached = (addresses, now)
            return addresses
        }
    }

    /// The name of this host in lower case.
    private static var hostName: String? {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return nil }
        let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return Authority(text)?.host
    }
}

extension IPAddress {
    /// `127.0.0.0/8` or `::1`.
    var isLoopback: Bool {
        switch self {
        case .ipv4(let bits): bits >> 24 == 127
        case .ipv6: self == .loopback6
        }
    }
}
