/// Opus (RFC 6716). Its clock always has 48 kHz (RFC 7587, section 4.1).
public enum Opus {
    /// Samples of each channel, at 48 kHz, in a packet; `nil` if its first bytes are malformed (RFC 6716, section 3.1).
    public static func sampleCount(of packet: some Collection<UInt8>) -> Int? {
        guard let first = packet.first else { return nil }
        let frameCount: Int
        switch first & 3 {
        case 0: frameCount = 1
        case 1, 2: frameCount = 2
        default:
            guard let second = packet.dropFirst().first else { return nil }
            frameCount = Int(second & 0x3F)
        }
        let samples = frameCount * samplesPerFrame(configuration: first >> 3)
        // A packet has at most 120 ms (R5).
        return (1...5_760).contains(samples) ? samples : nil
    }

    /// 10, 20, 40 and 60 ms for SILK; 10 and 20 ms for hybrid; 2.5, 5, 10 and 20 ms for CELT (table 2).
    private static func samplesPerFrame(configuration: UInt8) -> Int {
        switch configuration {
        case 0..<12: [480, 960, 1_920, 2_880][Int(configuration & 3)]
        case 12..<16: configuration & 1 == 0 ? 480 : 960
        default: 120 << Int(configuration & 3)
        }
    }
}
