import RTSP
import Reactor
import Synchronization

/// The addresses to which this host may connect for streams of other servers. They may change at any time; connections that exist
/// stay. Thread-safe.
public final class PermittedDestinations: Sendable {
    private let present: Mutex<AddressRules>

    public init(_ rules: AddressRules = AddressRules()) {
        present = Mutex(rules)
    }

    public var rules: AddressRules {
        get { present.withLock(\.self) }
        set { present.withLock { $0 = newValue } }
    }

    /// Whether this host may connect to an address.
    ///
    /// - Parameter refusesLocal: whether this host's own and link-local addresses are refused unless the rules name them: another
    ///   server has chosen the address, and could otherwise make this host connect to services that are not for others.
    public func permits(_ address: SocketAddress, refusingLocal refusesLocal: Bool) -> Bool {
        let (ip, rules) = (IPAddress(address.host), rules)
        guard rules.admits(ip) else { return false }
        return !refusesLocal || !address.isLocal || ip.map(rules.allows) == true
    }
}

extension SocketAddress {
    /// Whether it leads to this host, or is valid in one network only (link-local).
    public var isLocal: Bool {
        if isLoopback || isLinkLocal || isAny { return true }
        let own = (try? LocalAddresses.all()) ?? []
        return own.contains { $0.with(port: 0) == with(port: 0) }
    }
}
