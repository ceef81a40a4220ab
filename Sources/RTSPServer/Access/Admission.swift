import RTSP
import Synchronization

/// The access policy, external authoriser and lock-out that all loops share. Thread-safe.
final class Admission: Sendable {
    private let current: Mutex<(policy: AccessPolicy?, authoriser: (any ExternalAuthoriser)?)>
    /// The lock-out, which outlives a change of the policy.
    let lockOut = LockOut()

    init(_ policy: AccessPolicy?, _ authoriser: (any ExternalAuthoriser)?) {
        current = Mutex((policy, authoriser))
    }

    /// The access policy; `nil` if every client may do everything.
    var policy: AccessPolicy? { current.withLock { $0.policy } }

    /// Decides requests that the policy leaves open.
    var authoriser: (any ExternalAuthoriser)? { current.withLock { $0.authoriser } }

    /// Replaces policy and external authoriser.
    func admit(by policy: AccessPolicy?, _ authoriser: (any ExternalAuthoriser)?) {
        current.withLock { $0 = (policy, authoriser) }
    }
}
