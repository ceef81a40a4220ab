import Media
import Wire

/// Opus behind control headers, as private data that a descriptor registers (ETSI TS 103 491 draft; FFmpeg reads and writes it).
///
/// ```
/// | prefix 0x3FF, 11 bits | flags, 5 bits: 0 | size: bytes of 255, then one below | packet |
/// ```
struct OpusFraming: Framing {
    private let channelCount: UInt8

    init(channelCount: Int) {
        self.channelCount = channelCount > 1 ? 2 : 1
    }

    /// registration_descriptor with "Opus"; extension_descriptor 0x80 with channel_config_code, which is the number of channels.
    var descriptors: [UInt8] {
        [0x05, 4] + Array("Opus".utf8) + [0x7F, 2, 0x80, channelCount]
    }

    func byteCount(of unit: AccessUnit) -> Int? {
        unit.units.reduce(0) { $0 + 2 + $1.count / 255 + 1 + $1.count }
    }

    @_lifetime(output: copy output)
    func write(_ unit: AccessUnit, through writer: inout PESWriter, to output: inout OutputRawSpan) {
        for packet in unit.units {
            writer.append(0x7F, to: &output)
            writer.append(0xE0, to: &output)
            for _ in 0..<(packet.count / 255) { writer.append(0xFF, to: &output) }
            writer.append(UInt8(packet.count % 255), to: &output)
            writer.append(unit.bytes.rawSpan.extracting(packet), to: &output)
        }
    }
}
