import RTSP
import Synchronization

/// What all loops share of who is let in. From any thread.
final class Admission: Sendable {
    private let current: Mutex<(policy: AccessPolicy?, authoriser: (any ExternalAuthoriser)?)>
    /// It outlives a change of the policy.
    let lockOut = LockOut()

    init(_ policy: AccessPolicy?, _ authoriser: (any ExternalAuthoriser)?) {
        current = Mutex((policy, authoriser))
    }

    /// Who may do what; `nil` where everybody may do everything.
    var policy: AccessPolicy? { current.withLock { $0.policy } }

    /// Who decides where the policy does not.
    var authoriser: (any ExternalAuthoriser)? { current.withLock { $0.authoriser } }

    /// What holds from now on.
    func admit(by policy: AccessPolicy?, _ authoriser: (any ExternalAuthoriser)?) {
        current.withLock { $0 = (policy, authoriser) }
    }
}
