import Media
import RTP
import SDP

/// Which media of a description are received: an MPEG transport stream alone, because it contains all tracks, or else the first video
/// and the first audio that Apus can receive.
public struct ReceivedMedia: Hashable, Sendable {
    /// The indices of the media in the description, ascending; at least one.
    public let indices: [Int]
    public let source: ReceivedStream.Source

    /// `nil` if none can be received.
    ///
    /// - Parameter available: the indices of the media to choose from.
    public init?(of description: SessionDescription, among available: some Sequence<Int>) {
        let media = available.sorted().map { (index: $0, track: description.media[$0].describedTrack) }
        if let stream = media.first(where: { $0.track?.payload == .transportStream }) {
            (indices, source) = ([stream.index], .transportStream)
            return
        }
        let received = media.compactMap { index, track in
            track?.receivedFormat.map {
                (index, ReceivedStream.RTPTrack(clockRate: track?.clockRate ?? .video, format: $0))
            }
        }
        let first = ["video", "audio"].compactMap { kind in
            received.first { description.media[$0.0].kind == kind }
        }
        guard !first.isEmpty else { return nil }
        let chosen = first.sorted { $0.0 < $1.0 }
        (indices, source) = (chosen.map(\.0), .tracks(chosen.map(\.1)))
    }

    /// Chooses from all media that a publisher announces.
    public init?(of description: SessionDescription) {
        self.init(of: description, among: description.media.indices)
    }

    /// Chooses from the media of a server, without a camera's loudspeaker (the back channel of ONVIF).
    public init?(pulledFrom description: SessionDescription) {
        // ONVIF Streaming Specification, section 5.3. Some cameras mark all media so.
        let sent = description.media.indices.filter { index in
            description.media[index].describedTrack?.isReceivable == true
                && !description.media[index].attributes.contains { $0.name == "sendonly" }
        }
        self.init(of: description, among: sent.isEmpty ? Array(description.media.indices) : sent)
    }
}
