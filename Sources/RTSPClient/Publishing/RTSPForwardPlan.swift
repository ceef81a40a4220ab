import Connecting
import Media

/// A stream that is published to another RTSP server.
public struct RTSPForwardPlan: ForwardPlan {
    public var session: SessionPlan
    /// `s=` of the session description.
    public var title: String
    /// `i=` of the session description.
    public var information: String?

    /// - Parameter session: its transport must not be multicast.
    public init(_ session: SessionPlan, title: String, information: String? = nil) {
        (self.session, self.title, self.information) = (session, title, information)
    }

    public func makeSession(
        of forward: Forward, _ tracks: [Track], version: UInt64, in surroundings: OutgoingSurroundings,
        at now: MonotonicTime
    ) -> any ForwardSession {
        RTSPForwardSession(by: self, of: forward, tracks, version, in: surroundings, at: now)
    }
}
