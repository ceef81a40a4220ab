import DequeModule

/// The rate limit of a link: sends one packet after the other, and drops packets that find its queue full.
///
/// The end of a packet's sending is known when the packet arrives, because the timetable is known.
struct Bottleneck: Sendable {
    private let timetable: Timetable
    /// The packets that are waiting or being sent: when each will have been sent, and its bytes.
    private var waiting: Deque<(end: Int64, byteCount: Int)> = []
    /// The bytes of these packets.
    private(set) var queuedByteCount = 0
    /// When the last packet will have been sent.
    private var lastEnd: Int64 = 0

    init(_ timetable: Timetable) {
        self.timetable = timetable
    }

    /// Returns when the packet will have been sent, or `nil` if the queue is full. An empty queue takes a packet of any size,
    /// because otherwise a shallow queue would block it for ever.
    mutating func send(_ byteCount: Int, at now: Int64) -> Int64? {
        removeSent(at: now)
        if let limit = timetable.settings(at: now).rateLimit, queuedByteCount > 0,
            Int64(queuedByteCount + byteCount) > limit.queueByteCount
        {
            return nil
        }
        lastEnd = timetable.sendingEnd(of: byteCount, from: max(now, lastEnd))
        waiting.append((lastEnd, byteCount))
        queuedByteCount += byteCount
        return lastEnd
    }

    private mutating func removeSent(at now: Int64) {
        while let first = waiting.first, first.end <= now {
            queuedByteCount -= first.byteCount
            waiting.removeFirst()
        }
    }
}
