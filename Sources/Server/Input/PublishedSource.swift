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
    let label = "publisher"
    private let point: PublishingPoint
    private let transcoding: ReceptionTranscoding

    /// - Parameter transcoding: that of the point, which encodes what viewers cannot receive.
    init(at point: PublishingPoint, transcoding: ReceptionTranscoding) {
        (self.point, self.transcoding) = (point, transcoding)
    }

    func run(into stream: Stream) throws(SourceFailure) {
        point.open()
        _ = point.waitForEnd()
    }

    var waitsForInput: Bool { true }

    func change(to path: Configuration.Path) -> ReconfigurationResult { transcoding.change(to: path) }

    /// Publishers ignore requests for keyframes; only what is encoded here has them.
    func requestKeyframe() { transcoding.requestKeyframe() }

    func follow(_ order: EncoderOrder?) { transcoding.follow(order) }

    var status: SourceStatus? { transcoding.status }

    var input: NetworkInput? {
        point.input.map { publisher, transport, reception in
            NetworkInput(
                peer: "\(publisher.peer)", transport: transport, user: publisher.user, client: publisher.userAgent,
                reception: reception)
        }
    }

    func stop() { point.close() }
}
