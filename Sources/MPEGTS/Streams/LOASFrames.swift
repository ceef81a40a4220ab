import Media
import Wire

/// AAC in LATM frames with their own synchronisation, LOAS (ISO/IEC 14496-3, 1.7.2 and 1.7.3), as DVB uses it.
///
/// ```
/// | sync 0x2B7 | length | same configuration? | configuration, if not the same | lengths and blocks, not at whole bytes |
/// | 11 bits    | 13     | 1                   |                                |                                        |
/// ```
struct LOASFrames: AudioFraming {
    private static let syncWord: UInt32 = 0x2B7
    private static let headerByteCount = 3
    /// The most units of a frame, whose blocks are at least a byte long.
    private static let maximumUnitCount = 64

    /// The configuration in the last frame that had one.
    private var configuration: AAC.StreamMuxConfig?

    mutating func frame(at start: Int, in bytes: [UInt8]) -> AudioFrameReading {
        var reader = BitReader(bytes.rawSpan.extracting(start..<bytes.count))
        guard let sync = reader.bits(11) else { return .incomplete }
        guard sync == Self.syncWord else { return .invalid }
        guard let length = reader.bits(13) else { return .incomplete }
        let byteCount = Self.headerByteCount + Int(length)
        guard start + byteCount <= bytes.count else { return .incomplete }
        let element = bytes.rawSpan.extracting((start + Self.headerByteCount)..<(start + byteCount))
        return .frame(
            AudioFrame(
                byteCount: byteCount, blocks: blocks(of: element), samplesPerBlock: AAC.samplesPerAccessUnit,
                format: configuration.map { .aac($0.configuration) }))
    }

    /// The blocks of an AudioMuxElement; none if it is malformed, or if its configuration is not known or not supported.
    private mutating func blocks(of element: RawSpan) -> [[UInt8]] {
        var reader = BitReader(element)
        guard let isSame = reader.flag() else { return [] }
        if !isSame { configuration = AAC.StreamMuxConfig(reading: &reader) }
        guard let configuration, configuration.unitsPerElement <= Self.maximumUnitCount else { return [] }
        var blocks: [[UInt8]] = []
        for _ in 0..<configuration.unitsPerElement {
            guard let block = Self.block(&reader) else { return [] }
            blocks.append(block)
        }
        return blocks
    }

    /// PayloadLengthInfo, bytes of 255 and a smaller one to be added, and the block itself.
    private static func block(_ reader: inout BitReader) -> [UInt8]? {
        var byteCount = 0
        while true {
            guard let byte = reader.bits(8) else { return nil }
            byteCount += Int(byte)
            if byte != 0xFF { break }
        }
        guard byteCount > 0, byteCount * 8 <= reader.remaining else { return nil }
        return (0..<byteCount).map { _ in UInt8(truncatingIfNeeded: reader.bits(8) ?? 0) }
    }
}
