import RTSP
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
}
