/// A way of sending one access unit to every viewer. Confined to the sending thread.
protocol UnitSender: AnyObject {
    /// Sends a unit of so many packets to each.
    func send(packets: Int) -> SentCount
}

/// What the kernel was given.
struct SentCount: Equatable, Sendable {
    /// Bytes that it took.
    var bytes: UInt64 = 0
    /// Bytes that it did not take.
    var refusedBytes: UInt64 = 0
    var systemCalls: UInt64 = 0

    static func += (sum: inout Self, other: Self) {
        sum.bytes += other.bytes
        sum.refusedBytes += other.refusedBytes
        sum.systemCalls += other.systemCalls
    }
}
