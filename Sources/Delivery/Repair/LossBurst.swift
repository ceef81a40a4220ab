import Media

/// What a viewer has lost within a quarter of a second. A plain value.
struct LossBurst {
    private var began = MonotonicTime(nanoseconds: .min / 2)
    private var packetCount = 0
    private var byteCount = 0

    /// Nanoseconds: a full queue of the network drops packets until less is sent, which takes about as long.
    private static let duration: Int64 = 250_000_000
    /// Fewer lost packets are soon repaired.
    private static let leastPacketCount = 8

    /// Another packet is lost.
    mutating func add(byteCount: Int, at now: MonotonicTime) {
        if now - began > Self.duration { (began, packetCount, self.byteCount) = (now, 0, 0) }
        packetCount += 1
        self.byteCount += byteCount
    }

    /// The bytes that were lost; 0 if these are few packets, or some time has passed.
    func byteCount(at now: MonotonicTime) -> Int {
        packetCount >= Self.leastPacketCount && now - began <= Self.duration ? byteCount : 0
    }
}
