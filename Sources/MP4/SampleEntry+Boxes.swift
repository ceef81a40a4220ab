import Media
import Wire

extension ByteWriter {
    /// VisualSampleEntry (ISO/IEC 14496-12, 12.1.3) with the decoder configuration that `configuration` writes.
    mutating func visualSampleEntry(
        _ type: BoxType, _ picture: PictureDescription?, configuration: (inout ByteWriter) -> Void
    ) {
        box(type) { writer in
            // Reserved, data_reference_index.
            writer.zeros(6)
            writer.uint16(1)
            writer.zeros(16)
            writer.uint16(picture?.width ?? 0)
            writer.uint16(picture?.height ?? 0)
            // 72 dots per inch in both directions, a reserved word, one frame per sample.
            writer.uint32(0x0048_0000)
            writer.uint32(0x0048_0000)
            writer.uint32(0)
            writer.uint16(1)
            // No compressor name, a depth of 24 bits, pre_defined.
            writer.zeros(32)
            writer.uint16(0x18)
            writer.uint16(0xFFFF)
            configuration(&writer)
            if let colour = picture?.colour { writer.colourInformation(colour) }
            if let aspect = picture?.sampleAspect {
                writer.box("pasp") { writer in
                    writer.uint32(UInt32(aspect.width))
                    writer.uint32(UInt32(aspect.height))
                }
            }
        }
    }

    /// `colr` with code points (12.1.5).
    private mutating func colourInformation(_ colour: VideoSignal.Colour) {
        box("colr") { writer in
            writer.uint32(BoxType("nclx").rawValue)
            writer.uint16(UInt16(colour.primaries))
            writer.uint16(UInt16(colour.transfer))
            writer.uint16(UInt16(colour.matrix))
            writer.uint8(colour.isFullRange ? 0x80 : 0)
        }
    }

    /// AudioSampleEntry (12.2.3).
    mutating func audioSampleEntry(
        _ type: BoxType, channelCount: Int, sampleRate: ClockRate, configuration: (inout ByteWriter) -> Void
    ) {
        box(type) { writer in
            writer.zeros(6)
            writer.uint16(1)
            writer.zeros(8)
            writer.uint16(UInt16(clamping: channelCount))
            // Bits per sample, which mean nothing here; pre_defined, reserved.
            writer.uint16(16)
            writer.uint32(0)
            // Hertz with 16 fractional bits; 0 for rates from 65 536 Hz on, which only the decoder configuration gives.
            writer.uint32(UInt32(UInt16(exactly: sampleRate.hertz) ?? 0) << 16)
            configuration(&writer)
        }
    }

    /// `esds`: an elementary stream descriptor with the AudioSpecificConfig (ISO/IEC 14496-14, 6.7.2; 14496-1, 7.2.6).
    mutating func elementaryStreamDescriptor(_ configuration: AAC.AudioSpecificConfig) {
        let specific = Self.descriptor(tag: 5, configuration.bytes)
        // objectTypeIndication: MPEG-4 audio; an audio stream, upStream 0, and the reserved bit. Buffer size and bitrates are unknown.
        let decoder = Self.descriptor(tag: 4, [0x40, 0x15] + [UInt8](repeating: 0, count: 11) + specific)
        // predefined: as in MP4 files.
        let synchronisation = Self.descriptor(tag: 6, [2])
        // ES_ID 0, as required in files; no flags.
        let stream = Self.descriptor(tag: 3, [0, 0, 0] + decoder + synchronisation)
        fullBox("esds") { $0.append(stream) }
    }

    /// The content behind tag and length, which has seven bits per byte (ISO/IEC 14496-1, 8.3.3).
    private static func descriptor(tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        var length = [UInt8(content.count & 0x7F)]
        var rest = content.count >> 7
        while rest > 0 {
            length.insert(0x80 | UInt8(rest & 0x7F), at: 0)
            rest >>= 7
        }
        return [tag] + length + content
    }

    /// `dOps` (Encapsulation of Opus in ISO Base Media File Format, 4.3.2).
    ///
    /// PreSkip is 0: a reader of a live stream joins at any packet, behind the samples that an encoder puts before the first.
    mutating func opusSpecificBox(channelCount: Int) {
        box("dOps") { writer in
            writer.uint8(0)
            writer.uint8(UInt8(clamping: channelCount))
            writer.uint16(0)
            writer.uint32(48_000)
            // Output gain 0, channel mapping family 0: one stream, mono or stereo.
            writer.uint16(0)
            writer.uint8(0)
        }
    }
}
