/// The rate at which the path passes the packets of one frame, which are sent at once: it carries at least this much for a
/// short time.
///
/// A single frame may be wrong, because Wi-Fi delivers several packets together. So the least rate of five frames in a row counts.
/// This least rate may be too low, because something else delayed one of the frames. So the highest of the last least rates bounds
/// what the path carries.
struct BurstRate: Sendable {
    /// The least rate of the last five bursts; `nil` before.
    private(set) var rate: DataRate?

    /// The last least rates, and when the fifth burst of each was sent; a ring.
    private var history = InlineArray<8, (rate: DataRate, sent: Int64)>(repeating: (.zero, .min / 2))
    private var nextIndex = 0

    private var firstSent: Int64?
    private var firstArrival: Int64 = 0
    private var lastArrival: Int64 = 0
    /// Without the first packet, whose arrival starts the time.
    private var byteCount: Int64 = 0
    private var packetCount = 0
    private var least: DataRate?
    private var burstCount = 0

    private static let fewestPackets = 2
    private static let burstNanoseconds: Int64 = 5_000_000
    /// How long a rate counts, in nanoseconds: small frames have a single packet, and then only keyframes, every few seconds, are bursts.
    private static let memory: Int64 = 15_000_000_000

    /// The highest of the least rates of the last 15 s; `nil` if there is none.
    func bound(at now: Int64) -> DataRate? {
        var bound: DataRate?
        for index in history.indices where (0...Self.memory).contains(now &- history[index].sent) {
            bound = max(bound ?? .zero, history[index].rate)
        }
        return bound
    }

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
        if let least, let firstSent {
            history[nextIndex] = (least, firstSent)
            nextIndex = (nextIndex + 1) % history.count
        }
        (rate, least, burstCount) = (least, nil, 0)
    }
}
