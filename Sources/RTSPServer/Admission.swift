import RTSP
import Synchronization

/// What all loops share of who is let in. From any thread.
final class Admission: Sendable {
    private let current: Mutex<AccessPolicy?>
    /// It outlives a change of the policy.
    let lockOut = LockOut()

    init(_ policy: AccessPolicy?) {
        current = Mutex(policy)
    }

    /// Who may do what from now on; `nil` where everybody may do everything.
    var policy: AccessPolicy? {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }
}
