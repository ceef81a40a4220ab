import Delivery
import Media
import RTMPDelivery
import RTSP

/// A client that publishes a stream. Confined to the loop.
final class Publisher {
    let path: String
    let grant: Grant
    let point: PublishingPoint
    let publication: Publication
    let reception: MessageReception
    let startedAt: MonotonicTime

    init(
        _ path: String, _ grant: Grant, at point: PublishingPoint, _ publication: Publication, silenceSeconds: Int,
        at now: MonotonicTime
    ) {
        (self.path, self.grant, self.point, self.publication) = (path, grant, point, publication)
        startedAt = now
        reception = MessageReception(
            into: publication.input, silenceSeconds: silenceSeconds, at: now,
            furtherInput: { point.input(of: $0, in: publication) }, describe: { point.describe(publication, as: $0) })
    }
}
