/// Sends access units to every viewer by one method. Confined to the sending thread.
protocol UnitSender: AnyObject {
    /// Sends a unit of this many packets to each viewer.
    func send(packets: Int) -> SentCount
}

/// What was handed to the kernel.
struct SentCount: Equatable, Sendable {
    /// Bytes that the kernel accepted.
    var bytes: UInt64 = 0
    /// Bytes that the kernel did not accept.
    var refusedBytes: UInt64 = 0
    var systemCalls: UInt64 = 0

    static func += (sum: inout Self, other: Self) {
        sum.bytes += other.bytes
        sum.refusedBytes += other.refusedBytes
        sum.systemCalls += other.systemCalls
    }
}
