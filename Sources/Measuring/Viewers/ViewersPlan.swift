import Media
import RTSPClient

/// The task of `apus bench viewers`.
public struct ViewersPlan: Sendable {
    /// What each viewer opens.
    public enum Target: Sendable {
        case packets(PlayedStream)
        case http(HTTPStream)
    }

    public var target: Target
    /// Viewers that watch to the end.
    public var count: Int
    public var seconds: Double
    /// Viewers that join per second.
    public var rampPerSecond: Double = 100
    /// Further viewers on TCP that stop reading after PLAY. These and the half-rate ones are of RTSP.
    public var stalled = 0
    /// Further viewers on TCP that read at half the stream's rate.
    public var halfRate = 0
    /// Further viewers that join each second and disappear half a second later, without leaving. Not for viewers over HTTP.
    public var churnPerSecond = 0
    /// Units that arrive more than this later than the least delayed unit are not in time.
    public var lateMilliseconds: Int64 = 100
    /// How long the receiving thread waits after it has read what there was. With 0 it waits for the next packet at once, as players do. Over
    /// loopback the server's processor time then includes waking this thread, which depends on how soon it has read everything.
    public var gatherMilliseconds: Int64 = 0
    /// Whether the latency of each frame is kept for a plot, at 16 bytes per frame and viewer.
    public var keepsFrames = false
    /// The server's process, to measure its processor time, memory and descriptors.
    public var server: ServerProcess?

    public init(_ target: Target, count: Int, seconds: Double) {
        self.target = target
        self.count = count
        self.seconds = seconds
    }

    /// Blocks the receiving thread, while packets gather.
    func gather() {
        if gatherMilliseconds > 0 { MonotonicTime.now().advanced(byMilliseconds: gatherMilliseconds).wait() }
    }

    /// The URL without user and password.
    var url: String {
        switch target {
        case .packets(let stream): stream.url
        case .http(let stream): stream.url
        }
    }

    /// The transport as in the report.
    var transport: String {
        switch target {
        case .packets(let stream): stream.transportName
        case .http(let stream):
            switch stream.format {
            case .file: ViewersReport.fileTransport
            case .webSocket: ViewersReport.socketTransport
            case .hls(.lowLatency): ViewersReport.lowLatencyTransport
            case .hls(.segments): ViewersReport.segmentsTransport
            }
        }
    }

    /// How GSO batches arrive; `nil` unless over UDP.
    var gsoBatches: String? {
        guard case .packets(let stream) = target else { return nil }
        return stream.gsoBatchArrival?.rawValue
    }
}
