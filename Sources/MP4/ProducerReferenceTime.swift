import Media
import Wire

/// `prft`: when the first sample of the next fragment was captured (ISO/IEC 14496-12, 8.16.5).
///
/// ```
/// | size | "prft" | version 1, flags 24 | reference_track_ID | NTP time | media time |
/// |  32  |  32    |  32 bits            |  32                |  64      |  64        |
/// ```
struct ProducerReferenceTime: Hashable, Sendable {
    static let byteCount = 32
    /// Where the media time stands.
    static let mediaTimeOffset = 24

    let track: UInt32
    let captured: NTPTime
    /// The presentation time of the sample.
    let mediaTime: UInt64

    @_lifetime(output: copy output)
    func write(to output: inout OutputRawSpan) {
        output.append(uint32: UInt32(Self.byteCount))
        output.append(uint32: BoxType.prft.rawValue)
        // Flags 24: the time has a small offset, ideally none, from that of the scene which the sample shows.
        output.append(uint32: 0x0100_0018)
        output.append(uint32: track)
        output.append(uint64: captured.rawValue)
        output.append(uint64: mediaTime)
    }
}
