import Connecting
import Delivery
import Media
import SRT
import SRTServer
import Synchronization

/// A stream that is published to an SRT server, for one forward. Thread-safe.
public final class SRTForwardPlan: ForwardPlan {
    let url: SRTURL
    let calls: SRTCalls
    /// The call of the present session; `nil` without one.
    let call = Mutex<OutgoingCall?>(nil)

    public init(_ url: SRTURL, by calls: SRTCalls) {
        (self.url, self.calls) = (url, calls)
    }

    /// What libsrt has counted on the present connection, up to half a second ago; `nil` if there is none.
    public var statistics: SRTStatistics? { call.withLock(\.self)?.status?.statistics }

    public func makeSession(
        of forward: Forward, _ tracks: [Track], version: UInt64, in surroundings: OutgoingSurroundings,
        at now: MonotonicTime
    ) -> any ForwardSession {
        SRTForwardSession(by: self, of: forward, policy: surroundings.place.delivery.policy, at: now)
    }
}
