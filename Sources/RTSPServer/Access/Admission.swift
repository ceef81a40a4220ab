import RTSP
import Synchronization

/// The access policy, external authoriser and lock-out that all loops share. Thread-safe.
final class Admission: Sendable {
    private let current: Mutex<(policy: AccessPolicy?, authoriser: (any ExternalAuthoriser)?, version: UInt64)>
    /// The lock-out, which outlives a change of the policy.
    let lockOut = LockOut()

    init(_ policy: AccessPolicy?, _ authoriser: (any ExternalAuthoriser)?) {
        current = Mutex((policy, authoriser, 0))
    }

    /// The access policy; `nil` if every client may do everything.
    var policy: AccessPolicy? { current.withLock { $0.policy } }

    /// The access policy, and a number that increases whenever it is replaced.
    var versionedPolicy: (policy: AccessPolicy?, version: UInt64) {
        current.withLock { ($0.policy, $0.version) }
    }

    /// Decides requests that the policy leaves open.
    var authoriser: (any ExternalAuthoriser)? { current.withLock { $0.authoriser } }

    /// Replaces policy and external authoriser.
    func admit(by policy: AccessPolicy?, _ authoriser: (any ExternalAuthoriser)?) {
        current.withLock { $0 = (policy, authoriser, $0.version + 1) }
    }
}
