/// The rate at which the path passes the packets of one frame, which are sent at once: it carries at least this much for a
/// short time.
///
/// A single frame may be wrong, because Wi-Fi delivers several packets together. So the least rate of five frames in a row counts.
struct BurstRate: Sendable {
    /// The least rate of the last five bursts; `nil` before.
    private(set) var rate: DataRate?

    private var firstSent: Int64?
    private var firstArrival: Int64 = 0
    private var lastArrival: Int64 = 0
    /// Without the first packet, whose arrival starts the time.
    private var byteCount: Int64 = 0
    private var packetCount = 0
    private var least: DataRate?
    private var burstCount = 0

    /// Two packets alone are often delivered together.
    private static let fewestPackets = 3
    private static let burstNanoseconds: Int64 = 5_000_000

    mutating func received(_ packetByteCount: Int, sent: Int64, arrival: Int64) {
        if let firstSent, (0...Self.burstNanoseconds).contains(sent &- firstSent) {
            byteCount += Int64(min(max(0, packetByteCount), 65_535))
            packetCount = min(packetCount + 1, 65_535)
            lastArrival = max(lastArrival, arrival)
            // 65 535 packets of 64 KB are 2³² bytes.
            if packetCount == 65_535 { byteCount = min(byteCount, 1 << 32) }
            return
        }
        finish()
        (firstSent, firstArrival, lastArrival) = (sent, arrival, arrival)
        (byteCount, packetCount) = (0, 1)
    }

    private mutating func finish() {
        let elapsed = lastArrival &- firstArrival
        guard packetCount >= Self.fewestPackets, elapsed > 0 else { return }
        let burst = DataRate(byteCount: byteCount, nanoseconds: elapsed)
        least = least.map { min($0, burst) } ?? burst
        burstCount += 1
        guard burstCount >= 5 else { return }
        (rate, least, burstCount) = (least, nil, 0)
    }
}
