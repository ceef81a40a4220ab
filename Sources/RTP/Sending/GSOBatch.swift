/// Divides consecutive packets into batches that one GSO message (`UDP_SEGMENT`) can carry.
///
/// The kernel splits a message into segments of equal length, of which only the last may be shorter. There may be at most 64
/// (`UDP_MAX_SEGMENTS`; newer kernels allow 128), and the whole message must fit one IP datagram.
public enum GSOBatch {
    public static let maximumPacketCount = 64
    /// The maximum size of a whole batch, with all per-viewer bytes: the limit of IPv4.
    public static let maximumByteCount = 65_507
    /// Bytes per packet for one viewer besides header and payload: header extensions, and the overhead of SRTP.
    private static let addedByteCount = HeaderExtensionLayout.longest.byteCount + CipherSuite.maximumOverhead

    /// Covers `packets` with as few batches as possible: each is as long as allowed.
    static func split(_ packets: [PacketRun.Packet]) -> [Range<Int>] {
        var gsoBatches: [Range<Int>] = []
        var start = 0
        while start < packets.count {
            let end = endOfGSOBatch(from: start, in: packets)
            gsoBatches.append(start..<end)
            start = end
        }
        return gsoBatches
    }

    private static func endOfGSOBatch(from start: Int, in packets: [PacketRun.Packet]) -> Int {
        let segment = Int(packets[start].byteCount) + Header.fixedByteCount + addedByteCount
        let limit = max(1, min(maximumPacketCount, maximumByteCount / segment))
        var end = start + 1
        while end < packets.count, end - start < limit {
            guard packets[end].byteCount <= packets[start].byteCount else { break }
            end += 1
            // A shorter packet ends the batch.
            if packets[end - 1].byteCount < packets[start].byteCount { break }
        }
        return end
    }
}
