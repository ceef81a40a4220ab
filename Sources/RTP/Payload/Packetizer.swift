import Media

/// Converts the access units of one track to RTP payloads.
///
/// A packetizer for each kind of codec is a case, not a value of a protocol: the compiler specialises generic code only for types that it
/// knows.
enum Packetizer: Sendable {
    case h264(NALUnitPacketizer<H264PayloadHeader>)
    case h265(NALUnitPacketizer<H265PayloadHeader>)
    case aac(AACPacketizer)
    case audio(AudioPacketizer)

    init(of codec: Codec, maximumPayloadBytes: Int) {
        self =
            switch codec {
            case .h264: .h264(NALUnitPacketizer(maximumPayloadBytes: maximumPayloadBytes))
            case .h265: .h265(NALUnitPacketizer(maximumPayloadBytes: maximumPayloadBytes))
            case .aac: .aac(AACPacketizer(maximumPayloadBytes: maximumPayloadBytes))
            case .opus, .pcma, .pcmu: .audio(AudioPacketizer(maximumPayloadBytes: maximumPayloadBytes))
            }
    }

    /// The packets for `unit`; `nil` if nothing of it can be carried.
    func packetize(_ unit: AccessUnit) -> PacketRun? {
        switch self {
        case .h264(let packetizer): packetizer.packetize(unit)
        case .h265(let packetizer): packetizer.packetize(unit)
        case .aac(let packetizer): packetizer.packetize(unit)
        case .audio(let packetizer): packetizer.packetize(unit)
        }
    }
}
