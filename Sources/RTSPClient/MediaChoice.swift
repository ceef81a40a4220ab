import RTSP
import SDP

/// Which media of a description a session sets up.
public enum MediaChoice: Sendable {
    /// All RTP streams with a known clock rate, also those with an unknown payload.
    case all
    /// The first video and the first audio that Apus can receive, without a camera's loudspeaker (the back channel of ONVIF).
    case oneOfEachKind

    /// The chosen media: the index of each in the description.
    public func chosen(of description: SessionDescription) -> [(index: Int, track: DescribedTrack)] {
        let all = description.media.enumerated().compactMap { index, media in
            media.describedTrack.map { (index: index, track: $0) }
        }
        switch self {
        case .all: return all
        case .oneOfEachKind:
            let received = all.filter { $0.track.receivedFormat != nil }
            // ONVIF Streaming Specification, section 5.3. Some cameras mark all media so.
            let sent = received.filter { !description.media[$0.index].attributes.contains { $0.name == "sendonly" } }
            let first = ["video", "audio"].compactMap { kind in
                (sent.isEmpty ? received : sent).first { description.media[$0.index].kind == kind }
            }
            return first.sorted { $0.index < $1.index }
        }
    }
}
