import Media
import Reactor
import SDP
import Streams

/// The sums over all viewers.
struct ViewersTally {
    var established = 0
    var churned = 0
    /// Steady viewers that did not play to the end, by reason.
    var failures: [String: Int] = [:]
    /// Stalled viewers that the server disconnected, as it should.
    var stalledEndedByServer = 0
    var packets: UInt64 = 0
    var bytes: UInt64 = 0
    var gaps: UInt64 = 0
    var lost: UInt64 = 0
    var duplicates: UInt64 = 0
    var reordered: UInt64 = 0
    var wholeUnits: UInt64 = 0
    var brokenUnits: UInt64 = 0
    var unitsInTime: UInt64 = 0
    /// Bytes of the viewers of every kind.
    var allBytes: UInt64 = 0
    var oldestFrame: Int64?
    var oldestSettledFrame: Int64?
    var connectToPlay = DurationHistogram()
    var playToFirstPacket = DurationHistogram()
    var playToKeyframe = DurationHistogram()
    var connectToKeyframe = DurationHistogram()
    var captureToArrival = DurationHistogram()
    var handOverToArrival = DurationHistogram()
    var fanOut = FanOut()
    var serverBefore: ServerProcess.Snapshot?
    var serverPlaying: ServerProcess.Snapshot?
    var serverAfter: ServerProcess.Snapshot?
    var steady: SteadyUse?
    /// One row per finished viewer.
    var rows: [ViewerRow] = []
    /// One point per whole frame of a steady viewer, if `ViewersPlan.keepsFrames`.
    var frames: [PlotPoint] = []

    /// Maximum of frames kept for a plot: 80 MB.
    private static let mostFrames = 5_000_000

    /// Adds a frame of a steady viewer.
    ///
    /// - Parameter isKept: whether its latency is kept for a plot.
    mutating func add(_ frame: ViewerRecord.Frame, isKept: Bool) {
        if let instant = frame.handOverTime {
            handOverToArrival.record(nanoseconds: frame.arrivalUnixNanoseconds &- instant)
        }
        guard let captured = frame.captured else { return }
        let age = frame.arrivalUnixNanoseconds &- captured
        captureToArrival.record(nanoseconds: age)
        if isKept, frames.count < Self.mostFrames {
            frames.append(PlotPoint(instant: frame.arrival, nanoseconds: age))
        }
        fanOut.completed(capturedAt: captured, arrival: frame.arrival.nanoseconds)
    }

    /// The counters now, for the measurement of all viewers that have joined.
    func mark(
        with viewers: some Collection<ViewerRecord>, _ server: ServerProcess?, at now: MonotonicTime
    ) -> SteadyUse.Mark {
        SteadyUse.Mark(
            instant: now, bytes: viewers.reduce(allBytes) { $0 + $1.byteCount },
            lost: viewers.lazy.flatMap(\.tracks).reduce(0) { $0 + $1.loss.lost }, server: server?.snapshot(),
            receiverNanoseconds: ProcessorClock.threadNanoseconds())
    }

    /// Adds a finished viewer.
    mutating func add(_ viewer: ViewerRecord) {
        allBytes += viewer.byteCount
        rows.append(ViewerRow(viewer))
        switch viewer.kind {
        case .steady: addSteady(viewer)
        case .churning: churned += 1
        case .stalled: if viewer.end.map({ !$0.isWanted }) == true { stalledEndedByServer += 1 }
        case .halfRate:
            oldestFrame = max(oldestFrame ?? 0, viewer.oldestFrame)
            oldestSettledFrame = max(oldestSettledFrame ?? 0, viewer.oldestSettledFrame)
            addFailure(viewer)
        }
    }

    private mutating func addSteady(_ viewer: ViewerRecord) {
        addFailure(viewer)
        addDelays(viewer)
        bytes += viewer.byteCount
        unitsInTime += viewer.unitsInTime
        for track in viewer.tracks {
            packets += track.loss.packets
            gaps += track.loss.gaps
            lost += track.loss.lost
            duplicates += track.loss.duplicates
            reordered += track.loss.reordered
            wholeUnits += track.units.whole
            brokenUnits += track.units.broken
        }
    }

    private mutating func addFailure(_ viewer: ViewerRecord) {
        if viewer.playing != nil { established += 1 }
        if let end = viewer.end, !end.isWanted {
            failures[end.advice, default: 0] += 1
        } else if viewer.playing == nil {
            failures["still not playing at the end", default: 0] += 1
        } else if viewer.firstPacket == nil {
            failures["no packet arrived", default: 0] += 1
        }
    }

    private mutating func addDelays(_ viewer: ViewerRecord) {
        guard let playing = viewer.playing else { return }
        connectToPlay.record(nanoseconds: playing - viewer.opened)
        if let first = viewer.firstPacket { playToFirstPacket.record(nanoseconds: first - playing) }
        guard let keyframe = viewer.firstKeyframe else { return }
        playToKeyframe.record(nanoseconds: keyframe - playing)
        connectToKeyframe.record(nanoseconds: keyframe - viewer.opened)
    }
}

/// The progress of `apus bench viewers`.
public struct ViewersProgress: Sendable {
    public let elapsedSeconds: Double
    public let viewers: Int
    public let playing: Int
    public let bytes: UInt64
    public let gaps: UInt64

    init(elapsedSeconds: Double, viewers: some Collection<ViewerRecord>) {
        self.elapsedSeconds = elapsedSeconds
        self.viewers = viewers.count
        playing = viewers.count { $0.playing != nil && $0.end == nil }
        bytes = viewers.reduce(0) { $0 + $1.byteCount }
        gaps = viewers.lazy.filter { $0.kind == .steady }.flatMap(\.tracks).reduce(0) { $0 + $1.loss.gaps }
    }
}

extension [DescribedTrack] {
    /// Index of the evaluated track: the first video track in a known codec, else the first track.
    var mainIndex: Int {
        firstIndex { $0.payload.codec?.facts.kind == .video } ?? 0
    }
}
