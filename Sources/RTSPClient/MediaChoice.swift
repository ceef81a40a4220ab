import RTSP
import SDP

/// Which media of a description a session sets up.
public enum MediaChoice: Sendable {
    /// All RTP streams with a known clock rate, also those with an unknown payload.
    case all
    /// What is received of a pulled stream (`ReceivedMedia`).
    case received

    /// The chosen media: the index of each in the description.
    public func chosen(of description: SessionDescription) -> [(index: Int, track: DescribedTrack)] {
        let all = description.media.enumerated().compactMap { index, media in
            media.describedTrack.map { (index: index, track: $0) }
        }
        switch self {
        case .all: return all
        case .received:
            let indices = ReceivedMedia(pulledFrom: description)?.indices ?? []
            return all.filter { indices.contains($0.index) }
        }
    }
}
