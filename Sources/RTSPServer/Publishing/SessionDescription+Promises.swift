import Media
import RTP
import RTSP
import SDP

extension SessionDescription {
    /// Checks that viewers can receive this stream in the tracks that were announced to them. Only paths that keep their viewers while
    /// the source is absent promise tracks. Audio may be missing, because silence takes its place.
    ///
    /// - Throws: 415 with both formats.
    func requireFormats(of promised: [Track]) throws(Refusal) {
        // What a transport stream contains is known only when it comes.
        if case .transportStream = ReceivedMedia(of: self)?.source { return }
        for track in promised {
            let kind = track.kind == .video ? "video" : "audio"
            // The first of each kind is published.
            guard let format = media.first(where: { $0.kind == kind })?.describedTrack?.receivedFormat else {
                if track.kind == .audio { continue }
                throw Refusal(
                    .unsupportedMediaType,
                    reason: "Viewers were promised \(track.format.summary), and there is no video")
            }
            guard !track.canBeReceived(as: format) else { continue }
            throw Refusal(
                .unsupportedMediaType,
                reason: "Viewers were promised \(track.format.summary), not \(format.summary)")
        }
    }
}

extension Track {
    /// Whether viewers that were announced this track can receive the format in its place.
    fileprivate func canBeReceived(as format: ReceivedStream.Format) -> Bool {
        switch format {
        case .described(let format): isCompatible(with: Track(id: id, clockRate: clockRate, format: format))
        case .latm(let configuration):
            isCompatible(with: Track(id: id, clockRate: clockRate, format: .aac(configuration.configuration)))
        case .h264InBand: codec == .h264
        case .h265InBand: codec == .h265
        case .transcoded(.motionJPEG): codec == .h264
        case .transcoded(.audio): codec == .aac
        }
    }
}

extension ReceivedStream.Format {
    fileprivate var summary: String {
        switch self {
        case .described(let format): format.summary
        case .latm(let configuration): Track.Format.aac(configuration.configuration).summary
        case .h264InBand: "H.264"
        case .h265InBand: "H.265"
        case .transcoded(let format): format.encodingName
        }
    }
}
