/// Whether the PES packets of a video stream contain whole access units, so that a unit ends with its packet.
///
/// It is assumed after eight packets that begin with a NAL unit and have times of their own, and no longer after one that does not:
/// such a packet may continue a unit, as where each slice has a packet.
struct PacketAlignment: Hashable, Sendable {
    private static let sufficientCount = 8
    /// A start code has three bytes, and zeros may precede it.
    private static let startCodeByteCounts = 3...8

    private var count = 0
    private var isRefuted = false
    private var lastTimes: UnitTimes?
    /// The offset of a packet whose first NAL unit is not known yet.
    private var offset: Int?

    var isConfirmed: Bool { !isRefuted && count >= Self.sufficientCount }

    /// - Parameter offset: of the packet's body in the byte stream.
    mutating func packetBegan(at offset: Int, _ times: UnitTimes?) {
        if times == nil || times == lastTimes { isRefuted = true }
        (lastTimes, self.offset) = (times, offset)
    }

    /// - Parameter offset: of a NAL unit behind its start code.
    mutating func unitBegan(at offset: Int) {
        guard let packet = self.offset, offset > packet else { return }
        self.offset = nil
        if Self.startCodeByteCounts.contains(offset - packet) { count += 1 } else { isRefuted = true }
    }

    /// Where the next NAL unit begins says nothing.
    mutating func recordLoss() {
        offset = nil
    }
}
