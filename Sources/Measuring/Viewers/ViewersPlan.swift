import Media
import RTSPClient

/// The task of `apus bench viewers`.
public struct ViewersPlan: Sendable {
    public var session: SessionPlan
    /// Viewers that watch to the end.
    public var count: Int
    public var seconds: Double
    /// Viewers that join per second.
    public var rampPerSecond: Double = 100
    /// Further viewers on TCP that stop reading after PLAY.
    public var stalled = 0
    /// Further viewers on TCP that read at half the stream's rate.
    public var halfRate = 0
    /// Further viewers that join each second and disappear half a second later, without TEARDOWN.
    public var churnPerSecond = 0
    /// Units that arrive more than this later than the least delayed unit are not in time.
    public var lateMilliseconds: Int64 = 100
    /// Whether the latency of each frame is kept for a plot, at 16 bytes per frame and viewer.
    public var keepsFrames = false
    /// The server's process, to measure its processor time, memory and descriptors.
    public var server: ServerProcess?

    public init(session: SessionPlan, count: Int, seconds: Double) {
        self.session = session
        self.count = count
        self.seconds = seconds
    }

    /// The session of a viewer of this kind.
    func session(of kind: ViewerRecord.Kind) -> SessionPlan {
        var plan = session
        switch kind {
        case .steady, .churning: break
        case .stalled: plan.transport = .tcp
        case .halfRate:
            plan.transport = .tcp
            // The kernel's default buffer would hold many seconds of unread media, and hide that the server drops
            // frames.
            plan.receiveBufferByteCount = 16_384
        }
        return plan
    }
}
