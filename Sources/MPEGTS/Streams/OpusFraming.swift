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

    static let formatIdentifier = "Opus"
    /// The further tag of the DVB extension with the channels.
    private static let channelTag: UInt8 = 0x80
    /// The prefix and the flags of a control header, and which bits of it the prefix has.
    static let (controlHeader, prefixMask): (UInt16, UInt16) = (0x7FE0, 0xFFE0)

    /// registration_descriptor; extension_descriptor with channel_config_code, which is the number of channels.
    var descriptors: [UInt8] {
        [Descriptors.Tag.registration, 4] + Array(Self.formatIdentifier.utf8)
            + [Descriptors.Tag.dvbExtension, 2, Self.channelTag, channelCount]
    }

    /// The number of channels that descriptors of private data state; `nil` if it is not Opus, or if the channels are neither one nor
    /// two, of which the packets would have several streams.
    static func channelCount(in descriptors: Descriptors) -> Int? {
        guard descriptors.registration == formatIdentifier,
            let code = descriptors.dvbExtension(channelTag)?.first, (1...2).contains(code)
        else { return nil }
        return Int(code)
    }

    func byteCount(of unit: AccessUnit) -> Int? {
        unit.units.reduce(0) { $0 + 2 + $1.count / 255 + 1 + $1.count }
    }

    @_lifetime(output: copy output)
    func write(_ unit: AccessUnit, through writer: inout PESWriter, to output: inout OutputRawSpan) {
        for packet in unit.units {
            writer.append(UInt8(Self.controlHeader >> 8), to: &output)
            writer.append(UInt8(Self.controlHeader & 0xFF), to: &output)
            for _ in 0..<(packet.count / 255) { writer.append(0xFF, to: &output) }
            writer.append(UInt8(packet.count % 255), to: &output)
            writer.append(unit.bytes.rawSpan.extracting(packet), to: &output)
        }
    }
}
