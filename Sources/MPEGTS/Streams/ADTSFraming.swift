import Media
import Wire

/// AAC in ADTS frames: each raw data block gets its own header (ISO/IEC 14496-3, 1.A.2.2).
struct ADTSFraming: Framing {
    /// profile, sampling_frequency_index and channel_configuration as in the header: 2, 4 and 3 bits.
    private let profile: UInt8
    private let rateIndex: UInt8
    private let channels: UInt8

    /// Bytes of a header without a checksum.
    static let headerByteCount = 7
    /// frame_length has 13 bits and includes the header.
    private static let maximumBlockByteCount = 0x1FFF - headerByteCount

    /// `nil` if the header cannot express `config`: an object type beyond AAC, an unlisted rate or channel layout, or
    /// frames of 960 samples.
    init?(_ config: AAC.AudioSpecificConfig) {
        var bits = BitReader(config.bytes.rawSpan)
        guard var type = bits.bits(5), let rate = bits.bits(4), rate < 13, let layout = bits.bits(4),
            (1...7).contains(layout)
        else { return nil }
        if type == 5 || type == 29 {
            // The decoder detects spectral band replication itself: the header describes the core.
            guard let extensionRate = bits.bits(4), extensionRate < 15 || bits.skip(24), let core = bits.bits(5)
            else { return nil }
            type = core
        }
        guard (1...4).contains(type), bits.flag() != true else { return nil }
        // Bounded above: 3, 12, 7.
        (profile, rateIndex, channels) = (UInt8(type - 1), UInt8(rate), UInt8(layout))
    }

    func byteCount(of unit: AccessUnit) -> Int? {
        guard unit.units.allSatisfy({ $0.count <= Self.maximumBlockByteCount }) else { return nil }
        return unit.units.reduce(0) { $0 + Self.headerByteCount + $1.count }
    }

    @_lifetime(output: copy output)
    func write(_ unit: AccessUnit, through writer: inout PESWriter, to output: inout OutputRawSpan) {
        for block in unit.units {
            writeHeader(frameLength: UInt16(Self.headerByteCount + block.count), through: &writer, to: &output)
            writer.append(unit.bytes.rawSpan.extracting(block), to: &output)
        }
    }

    /// MPEG-4, no checksum, unspecified buffer fullness, one block.
    @_lifetime(output: copy output)
    private func writeHeader(frameLength: UInt16, through writer: inout PESWriter, to output: inout OutputRawSpan) {
        writer.append(0xFF, to: &output)
        writer.append(0xF1, to: &output)
        writer.append(profile << 6 | rateIndex << 2 | channels >> 2, to: &output)
        writer.append(channels << 6 | UInt8(frameLength >> 11), to: &output)
        writer.append(UInt8(frameLength >> 3 & 0xFF), to: &output)
        writer.append(UInt8(frameLength & 7) << 5 | 0x1F, to: &output)
        writer.append(0xFC, to: &output)
    }
}
