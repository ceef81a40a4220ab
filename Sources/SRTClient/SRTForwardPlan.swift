import Connecting
import Delivery
import Media
import SRT

/// A stream that is published to an SRT server.
public struct SRTForwardPlan: ForwardPlan {
    let url: SRTURL
    let calls: SRTCalls

    public init(_ url: SRTURL, by calls: SRTCalls) {
        (self.url, self.calls) = (url, calls)
    }

    public func makeSession(
        of forward: Forward, _ tracks: [Track], version: UInt64, in surroundings: OutgoingSurroundings,
        at now: MonotonicTime
    ) -> any ForwardSession {
        SRTForwardSession(by: self, of: forward, at: now)
    }
}
