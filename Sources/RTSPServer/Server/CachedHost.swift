import Media
import Reactor

/// The IPv4 address of this host, looked up at most once in ten seconds. A look-up reads all interfaces and their addresses from
/// the kernel, which takes milliseconds on a host with many.
struct CachedHost {
    private static let lifetime: Int64 = 10_000_000_000

    private let find: @Sendable () -> String?
    private var known: (host: String?, instant: MonotonicTime)?

    init(
        find: @escaping @Sendable () -> String? = {
            // If the kernel does not answer, no address is known.
            (try? LocalAddresses.all())?.first { $0.family == .ipv4 }?.host
        }
    ) {
        self.find = find
    }

    /// The address in the notation of URLs; `nil` if there is none.
    mutating func host(at now: MonotonicTime) -> String? {
        if let known, now - known.instant < Self.lifetime { return known.host }
        let host = find()
        known = (host, now)
        return host
    }
}
