/// The law of trains: which consecutive packets one `UDP_SEGMENT` message can carry.
///
/// The kernel cuts a message into equal segments of which only the last may be shorter, at most 64 of them
/// (`UDP_MAX_SEGMENTS`; newer kernels take 128), and the whole fits one IP datagram.
public enum GSOBatch {
    public static let maximumPacketCount = 64
    /// Bytes of a whole train, with all that a viewer may have added: where IPv4 ends.
    public static let maximumByteCount = 65_507
    /// What a viewer may have in each packet beside header and payload: an extension, and what SRTP adds.
    private static let addedByteCount = AbsoluteCaptureTime.byteCount + CipherSuite.maximumOverhead

    /// Covers `packets` with as few trains as possible: each takes all that it may.
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
            // A shorter one is the last.
            if packets[end - 1].byteCount < packets[start].byteCount { break }
        }
        return end
    }
}
