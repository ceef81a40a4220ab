import Media
import Reactor

/// What a server and this receiver took while all viewers played: from a second after the last joined, to the end.
///
/// Joining costs more than watching, and what a join costs is another question.
public struct SteadyUse: Codable, Equatable, Sendable {
    public let seconds: Double
    /// Received, with RTP headers.
    public let bytes: UInt64
    /// Packets that did not come. Those of the joins are not among them: some servers tell of first packets that they never send.
    public let lost: UInt64
    /// Of the server's process; `nil` where none was named.
    public let processorSeconds: Double?
    /// The same per gigabyte received.
    public let processorSecondsPerGigabyte: Double?
    /// The share of one processor that the receiving thread took: near 1, it is what limits the run.
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

    /// How things stood at one instant.
    struct Mark {
        let instant: MonotonicTime
        let bytes: UInt64
        let lost: UInt64
        let server: ServerProcess.Snapshot?
        /// Processor time of the receiving thread.
        let receiverNanoseconds: Int64
    }
}

/// Finds out when all viewers have joined. Confined to the receiving thread.
struct SteadyWindow {
    /// From the last join to the beginning, in nanoseconds: preludes are through by then.
    private static let settling: Int64 = 1_000_000_000

    private let viewers: Int
    private var settled = 0
    private var lastJoin: MonotonicTime?
    private var begin: SteadyUse.Mark?
    private(set) var use: SteadyUse?

    init(viewers: Int) {
        self.viewers = viewers
    }

    /// One more viewer plays, or never will.
    mutating func viewerSettled(at now: MonotonicTime) {
        settled += 1
        if settled == viewers { lastJoin = now }
    }

    /// Begins if it is time to.
    mutating func look(at now: MonotonicTime, _ mark: () -> SteadyUse.Mark) {
        guard begin == nil, let lastJoin, now - lastJoin >= Self.settling else { return }
        begin = mark()
    }

    /// The run is over.
    mutating func end(_ mark: () -> SteadyUse.Mark) {
        use = begin.map { SteadyUse(from: $0, to: mark()) }
    }
}
