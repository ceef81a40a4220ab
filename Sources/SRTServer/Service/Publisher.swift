import Delivery
import Media
import RTSP
import Streams

/// A client that publishes a stream. Confined to the thread of SRT.
final class Publisher {
    let path: String
    let grant: Grant
    let point: PublishingPoint
    let publication: Publication
    var reception: TransportReception
    /// The name of the stream's program that was passed on.
    private var serviceName: String?

    init(
        _ path: String, _ grant: Grant, at point: PublishingPoint, _ publication: Publication, silenceSeconds: Int,
        at now: MonotonicTime
    ) {
        (self.path, self.grant, self.point, self.publication) = (path, grant, point, publication)
        reception = TransportReception(into: publication.input, silenceSeconds: silenceSeconds, at: now)
    }

    /// Passes on the name that the stream gives its program: a title where the configuration has none.
    func describe() {
        guard reception.serviceName != serviceName else { return }
        serviceName = reception.serviceName
        point.describe(publication, as: PublishedTexts(title: serviceName))
    }
}
