import Streams

/// The result of `apus bench viewers`. The counters are those of the steady viewers.
public struct ViewersReport: Codable, Equatable, Sendable {
    /// `udp`, `tcp`, `multicast`, or over HTTP `mp4`, `websocket`, `ll-hls` or `hls`.
    public var transport: String
    /// How GSO batches arrived: `whole` (GRO) or `cut` into packets; `nil` over TCP.
    public var gsoBatches: String?
    /// The requested number of steady viewers.
    public var viewers: Int
    public var seconds: Double
    /// Sessions with a response to PLAY, without the churning and the stalled viewers.
    public var established: Int
    /// The number of failed sessions by reason.
    public var failures: [String: Int]
    public var churned: Int
    public var stalled: Int
    public var stalledEndedByServer: Int
    public var packets: UInt64
    public var bytes: UInt64
    public var gaps: UInt64
    public var lost: UInt64
    public var duplicates: UInt64
    public var reordered: UInt64
    public var wholeUnits: UInt64
    public var brokenUnits: UInt64
    public var unitsInTime: UInt64
    public var connectToPlay: DurationSummary?
    public var playToFirstPacket: DurationSummary?
    public var playToKeyframe: DurationSummary?
    public var connectToKeyframe: DurationSummary?
    /// From a frame's capture, by sender reports, to its last packet; valid if the clocks of both hosts agree.
    public var captureToArrival: DurationSummary?
    /// From the hand-over of a unit to the server to the unit's last packet; `nil` if units contain no `HandOverTimestamp`.
    public var handOverToArrival: DurationSummary?
    /// From the first to the last viewer's arrival of the same frame.
    public var fanOut: DurationSummary?
    /// The longest time from capture to arrival at any half-rate viewer.
    public var oldestHalfRateFrameMilliseconds: Double?
    /// The longest such time after each viewer's first five seconds.
    public var oldestSettledHalfRateFrameMilliseconds: Double?
    public var server: ServerUse?
    /// `nil` if the run ended before all viewers had joined.
    public var steady: SteadyUse?

    /// For viewers of an MP4 file over HTTP. `packets` are fragments then, and the response takes the place of that to PLAY.
    static let fileTransport = "mp4"
    /// For viewers over WebSockets, with the same words.
    static let socketTransport = "websocket"
    /// For viewers of HLS. `packets` and units are the tracks of fragments, one per part, and the first media playlist takes the place of
    /// the response to PLAY.
    static let lowLatencyTransport = "ll-hls"
    static let segmentsTransport = "hls"

    private enum CodingKeys: String, CodingKey {
        case transport
        case gsoBatches = "trains"
        case viewers, seconds, established, failures, churned, stalled, stalledEndedByServer
        case packets, bytes, gaps, lost, duplicates, reordered, wholeUnits, brokenUnits, unitsInTime
        case connectToPlay, playToFirstPacket
        case playToKeyframe = "playToRandomAccess"
        case connectToKeyframe = "connectToRandomAccess"
        case captureToArrival, handOverToArrival, fanOut
        case oldestHalfRateFrameMilliseconds = "oldestHalfRatePictureMilliseconds"
        case oldestSettledHalfRateFrameMilliseconds = "oldestSettledHalfRatePictureMilliseconds"
        case server, steady
    }

    /// The resources that the server used. The property names are JSON keys.
    public struct ServerUse: Codable, Equatable, Sendable {
        public var processorSeconds: Double
        public var processorSecondsPerGigabyte: Double
        public var before: ServerProcess.Snapshot
        public var playing: ServerProcess.Snapshot
        /// A second after the last viewer left.
        public var after: ServerProcess.Snapshot
    }

    /// Whether every session played to the end.
    public var allPlayed: Bool { failures.isEmpty && established > 0 }
    /// Whether no steady viewer lost a packet.
    public var hasNoGap: Bool { gaps == 0 && lost == 0 }

    init(_ plan: ViewersPlan, _ tally: ViewersTally) {
        var fanOut = tally.fanOut
        transport = plan.transport
        gsoBatches = plan.gsoBatches
        viewers = plan.count
        seconds = plan.seconds
        established = tally.established
        failures = tally.failures
        churned = tally.churned
        stalled = plan.stalled
        stalledEndedByServer = tally.stalledEndedByServer
        packets = tally.packets
        bytes = tally.bytes
        gaps = tally.gaps
        lost = tally.lost
        duplicates = tally.duplicates
        reordered = tally.reordered
        wholeUnits = tally.wholeUnits
        brokenUnits = tally.brokenUnits
        unitsInTime = tally.unitsInTime
        connectToPlay = tally.connectToPlay.summary
        playToFirstPacket = tally.playToFirstPacket.summary
        playToKeyframe = tally.playToKeyframe.summary
        connectToKeyframe = tally.connectToKeyframe.summary
        captureToArrival = tally.captureToArrival.summary
        handOverToArrival = tally.handOverToArrival.summary
        self.fanOut = fanOut.finish().summary
        oldestHalfRateFrameMilliseconds = tally.oldestFrame.map { Double($0) / 1e6 }
        oldestSettledHalfRateFrameMilliseconds = tally.oldestSettledFrame.map { Double($0) / 1e6 }
        server = Self.use(tally)
        steady = tally.steady
    }

    private static func use(_ tally: ViewersTally) -> ServerUse? {
        guard let before = tally.serverBefore, let playing = tally.serverPlaying, let after = tally.serverAfter else {
            return nil
        }
        let seconds = playing.processorSeconds - before.processorSeconds
        let gigabytes = Double(tally.allBytes) / 1e9
        return ServerUse(
            processorSeconds: seconds, processorSecondsPerGigabyte: gigabytes > 0 ? seconds / gigabytes : 0,
            before: before, playing: playing, after: after)
    }
}
