/// What a link has done. The names are those of the JSON that `script/impair` prints.
public struct LinkStatistics: Equatable, Sendable, Codable {
    /// Packets that arrived, and their bytes.
    public private(set) var packets: UInt64 = 0
    public private(set) var bytes: UInt64 = 0
    /// Dropped by the loss model.
    public private(set) var lost: UInt64 = 0
    /// Dropped while the link was down.
    public private(set) var interrupted: UInt64 = 0
    /// Dropped because the queue was full.
    public private(set) var droppedByQueue: UInt64 = 0
    /// Held back, so that later packets could overtake them.
    public internal(set) var reordered: UInt64 = 0
    /// Forwarded to the receiver. Packets that are still underway are in none of the other counts.
    public internal(set) var delivered: UInt64 = 0
    public private(set) var largestPacketBytes = 0
    /// The largest number of bytes in the queue, and the longest time that a packet was in it.
    public private(set) var largestQueueBytes = 0
    public private(set) var longestQueueMilliseconds = 0.0

    mutating func count(_ byteCount: Int) {
        packets += 1
        bytes += UInt64(byteCount)
        largestPacketBytes = max(largestPacketBytes, byteCount)
    }

    mutating func count(_ fate: PacketFate) {
        switch fate {
        case .accepted: break
        case .lost: lost += 1
        case .interrupted: interrupted += 1
        case .queueFull: droppedByQueue += 1
        }
    }

    mutating func count(queuedBytes: Int, waitNanoseconds: Int64) {
        guard waitNanoseconds > 0 else { return }
        largestQueueBytes = max(largestQueueBytes, queuedBytes)
        longestQueueMilliseconds = max(longestQueueMilliseconds, Double(waitNanoseconds) / 1e6)
    }
}
