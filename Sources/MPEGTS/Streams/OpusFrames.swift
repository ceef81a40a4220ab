import Media
import Wire

/// Opus packets behind control headers, which may say how many samples to cut and have an extension; both are skipped.
///
/// ```
/// | prefix 0x3FF, 11 bits | cut at start, end, extension, 3 bits | 0, 2 | size: bytes of 255, then one below | … | packet |
/// ```
struct OpusFrames: AudioFraming {
    let channelCount: Int

    private struct Flags {
        static let startTrim: UInt16 = 0x10
        static let endTrim: UInt16 = 0x08
        static let controlExtension: UInt16 = 0x04
    }

    mutating func frame(at start: Int, in bytes: [UInt8]) -> AudioFrameReading {
        var reader = ByteReader(bytes.rawSpan.extracting(start..<bytes.count))
        guard let header = reader.uint16() else { return .incomplete }
        guard header & OpusFraming.prefixMask == OpusFraming.controlHeader else { return .invalid }
        guard let byteCount = Self.size(&reader),
            reader.skip(header & Flags.startTrim != 0 ? 2 : 0), reader.skip(header & Flags.endTrim != 0 ? 2 : 0),
            Self.skipExtension(&reader, isPresent: header & Flags.controlExtension != 0),
            let packet = reader.take(byteCount)
        else { return .incomplete }
        let block = [UInt8](packet)
        guard let sampleCount = Opus.sampleCount(of: block) else { return .invalid }
        return .frame(
            AudioFrame(
                byteCount: reader.offset, blocks: [block], samplesPerBlock: sampleCount,
                format: .opus(channelCount: channelCount)))
    }

    private static func size(_ reader: inout ByteReader) -> Int? {
        var size = 0
        while let byte = reader.uint8() {
            size += Int(byte)
            if byte != 0xFF { return size }
        }
        return nil
    }

    @_lifetime(reader: copy reader)
    private static func skipExtension(_ reader: inout ByteReader, isPresent: Bool) -> Bool {
        guard isPresent else { return true }
        return reader.uint8().map { reader.skip(Int($0)) } ?? false
    }
}
