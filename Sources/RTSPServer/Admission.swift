import RTSP
import Synchronization

/// What all loops share of who is let in. From any thread.
final class Admission: Sendable {
    private let current: Mutex<(policy: AccessPolicy?, authority: (any AccessAuthority)?)>
    /// It outlives a change of the policy.
    let lockOut = LockOut()

    init(_ policy: AccessPolicy?, _ authority: (any AccessAuthority)?) {
        current = Mutex((policy, authority))
    }

    /// Who may do what; `nil` where everybody may do everything.
    var policy: AccessPolicy? { current.withLock { $0.policy } }

    /// Who decides where the policy does not.
    var authority: (any AccessAuthority)? { current.withLock { $0.authority } }

    /// What holds from now on.
    func admit(by policy: AccessPolicy?, _ authority: (any AccessAuthority)?) {
        current.withLock { $0 = (policy, authority) }
    }
}
