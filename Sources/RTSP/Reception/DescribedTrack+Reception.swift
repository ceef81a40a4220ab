import RTP
import SDP

extension DescribedTrack {
    /// Whether Apus can receive it.
    public var isReceivable: Bool { receivedFormat != nil || payload == .transportStream }

    /// The format for reception; `nil` for a transport stream, and if Apus cannot receive the track.
    public var receivedFormat: ReceivedStream.Format? {
        switch payload {
        case .described(let format): .described(format)
        case .inBand(.h264): .h264InBand
        case .inBand(.h265): .h265InBand
        case .latm(let configuration): .latm(configuration)
        case .transcoded(let format): .transcoded(format)
        // Without its configuration, AAC cannot be decoded; the others are always described.
        case .inBand(.aac), .inBand(.opus), .inBand(.pcma), .inBand(.pcmu), .transportStream, .unsupported, .unknown:
            nil
        }
    }
}
