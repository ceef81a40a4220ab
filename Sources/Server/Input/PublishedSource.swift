import Capture
import Delivery
import RTSPServer
import RateControl
import Streams

/// The source of a path to which clients publish.
///
/// Publishers come and go at the ``PublishingPoint``, and the loops of their connections publish their media. A run lasts until a
/// publication ends, so that the supervisor knows since when the path has no input.
final class PublishedSource: PathSource {
    let label: String
    private let point: PublishingPoint
    /// Of which publisher's track this is the path; `nil` if clients publish the path itself.
    private let track: Track?
    private let transcoding: ReceptionTranscoding

    /// A video track of the publishers of another path.
    struct Track {
        let directory: TrackDirectory
        let key: TrackDirectory.Key
    }

    /// - Parameter transcoding: that of the point, which encodes what viewers cannot receive.
    init(at point: PublishingPoint, of track: Track? = nil, transcoding: ReceptionTranscoding) {
        (self.point, self.track, self.transcoding) = (point, track, transcoding)
        label = track.map { "track \($0.key.number) of the publisher of \($0.key.path)" } ?? "publisher"
    }

    func run(into stream: Stream) throws(SourceFailure) {
        point.open()
        track.map { $0.directory.insert(point, at: $0.key) }
        _ = point.waitForEnd()
    }

    var waitsForInput: Bool { true }

    func change(to path: Configuration.Path) -> ReconfigurationResult { transcoding.change(to: path) }

    /// What is encoded here has keyframes, and publishers over WebRTC send them. Others ignore requests.
    func requestKeyframe() {
        transcoding.requestKeyframe()
        point.requestKeyframe()
    }

    func follow(_ order: EncoderOrder?) { transcoding.follow(order) }

    var status: SourceStatus? { transcoding.status }

    var input: NetworkInput? {
        point.input.map { publisher, transport, reception in
            NetworkInput(
                peer: "\(publisher.peer)", transport: transport, user: publisher.user, client: publisher.userAgent,
                reception: reception)
        }
    }

    func stop() {
        track.map { $0.directory.remove(point, at: $0.key) }
        point.close()
    }
}
