/// The law of trains: which consecutive packets one `UDP_SEGMENT` message can carry.
///
/// The kernel cuts a message into equal segments of which only the last may be shorter, at most 64 of them
/// (`UDP_MAX_SEGMENTS`; newer kernels take 128), and the whole fits one IP datagram.
public enum PacketTrain {
    public static let maximumPacketCount = 64
    /// Bytes of a whole train with its headers; IPv4 ends at 65 507, the rest is for the extensions of 64 headers.
    public static let maximumByteCount = 64_400

    /// Covers `packets` with as few trains as possible: each takes all that it may.
    static func split(_ packets: [PacketRun.Packet]) -> [Range<Int>] {
        var trains: [Range<Int>] = []
        var start = 0
        while start < packets.count {
            let end = endOfTrain(from: start, in: packets)
            trains.append(start..<end)
            start = end
        }
        return trains
    }

    private static func endOfTrain(from start: Int, in packets: [PacketRun.Packet]) -> Int {
        let segment = Int(packets[start].byteCount) + Header.fixedByteCount
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
