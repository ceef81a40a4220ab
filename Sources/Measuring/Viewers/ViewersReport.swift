import Streams

/// What `apus bench viewers` found; counters are those of the steady viewers.
public struct ViewersReport: Codable, Equatable, Sendable {
    public var transport: String
    /// How trains of packets came: `whole` or `cut`; `nil` where there are none.
    public var trains: String?
    /// Steady viewers that were asked for.
    public var viewers: Int
    public var seconds: Double
    /// Sessions whose PLAY was answered, churning ones and stalled ones apart.
    public var established: Int
    /// Why sessions failed, and how many for each reason.
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
    public var playToRandomAccess: DurationSummary?
    public var connectToRandomAccess: DurationSummary?
    /// From a picture's capture, as sender reports tell it, to its last packet; right where both hosts' clocks agree.
    public var captureToArrival: DurationSummary?
    /// From when the server was handed a unit, as the unit itself tells, to its last packet; `nil` where units do not tell.
    public var handOverToArrival: DurationSummary?
    /// From the first viewer to the last with the same picture.
    public var fanOut: DurationSummary?
    /// From capture to arrival at a half-rate viewer, the worst of all.
    public var oldestHalfRatePictureMilliseconds: Double?
    /// The same, after each one's first five seconds.
    public var oldestSettledHalfRatePictureMilliseconds: Double?
    public var server: ServerUse?
    /// `nil` where the run ended before all viewers had joined.
    public var steady: SteadyUse?

    /// What the run cost the server.
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
    /// Whether no steady viewer missed a packet.
    public var hasNoGap: Bool { gaps == 0 && lost == 0 }

    init(_ plan: ViewersPlan, _ tally: ViewersTally) {
        var fanOut = tally.fanOut
        transport = plan.session.transport.rawValue
        trains = plan.session.transport == .tcp ? nil : plan.session.gsoBatchArrival.rawValue
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
        playToRandomAccess = tally.playToRandomAccess.summary
        connectToRandomAccess = tally.connectToRandomAccess.summary
        captureToArrival = tally.captureToArrival.summary
        handOverToArrival = tally.handOverToArrival.summary
        self.fanOut = fanOut.finish().summary
        oldestHalfRatePictureMilliseconds = tally.oldestFrame.map { Double($0) / 1e6 }
        oldestSettledHalfRatePictureMilliseconds = tally.oldestSettledFrame.map { Double($0) / 1e6 }
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
