import Media
import Reactor

/// The resources that the server and this receiver used while all viewers played: from a second after the last join to the
/// end. The property names are JSON keys.
///
/// Joins are excluded because they cost more than playing.
public struct SteadyUse: Codable, Equatable, Sendable {
    public let seconds: Double
    /// Bytes received, including RTP headers.
    public let bytes: UInt64
    /// Lost packets. Losses during joins do not count, because some servers announce first packets that they never send.
    public let lost: UInt64
    /// Processor time of the server's process; `nil` without `--server-pid`.
    public let processorSeconds: Double?
    /// Processor time of the server per gigabyte received.
    public let processorSecondsPerGigabyte: Double?
    /// The share of one processor that the receiving thread used; near 1, the receiver limits the run.
    public let receiverLoad: Double

    init(from begin: Mark, to end: Mark) {
        seconds = Double(end.instant - begin.instant) / 1e9
        bytes = end.bytes - begin.bytes
        lost = end.lost > begin.lost ? end.lost - begin.lost : 0
        receiverLoad = Double(end.receiverNanoseconds - begin.receiverNanoseconds) / 1e9 / max(seconds, 1e-9)
        guard let before = begin.server, let after = end.server, bytes > 0 else {
            (processorSeconds, processorSecondsPerGigabyte) = (nil, nil)
            return
        }
        let used = after.processorSeconds - before.processorSeconds
        (processorSeconds, processorSecondsPerGigabyte) = (used, used / (Double(bytes) / 1e9))
    }

    /// The counters at one time.
    struct Mark {
        let instant: MonotonicTime
        let bytes: UInt64
        let lost: UInt64
        let server: ServerProcess.Snapshot?
        /// Processor time of the receiving thread.
        let receiverNanoseconds: Int64
    }
}

/// Detects when all viewers have joined, and measures from then to the end. Confined to the receiving thread.
struct SteadyWindow {
    /// From the last join to the beginning, in nanoseconds; fast starts are over by then.
    private static let settling: Int64 = 1_000_000_000

    private let viewers: Int
    private var settled = 0
    private var lastJoin: MonotonicTime?
    private var begin: SteadyUse.Mark?
    private(set) var use: SteadyUse?

    init(viewers: Int) {
        self.viewers = viewers
    }

    /// Counts a viewer that plays, or that has failed.
    mutating func viewerSettled(at now: MonotonicTime) {
        settled += 1
        if settled == viewers { lastJoin = now }
    }

    /// Begins the measurement if all viewers have joined.
    mutating func beginIfSettled(at now: MonotonicTime, _ mark: () -> SteadyUse.Mark) {
        guard begin == nil, let lastJoin, now - lastJoin >= Self.settling else { return }
        begin = mark()
    }

    /// Ends the measurement.
    mutating func end(_ mark: () -> SteadyUse.Mark) {
        use = begin.map { SteadyUse(from: $0, to: mark()) }
    }
}
