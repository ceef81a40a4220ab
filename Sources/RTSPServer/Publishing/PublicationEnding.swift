import Delivery
import RTSP
import Reactor

/// The end of a publication that another thread orders.
struct PublicationEnding: Sendable {
    let connection: Token
    let session: SessionID
    let withdrawal: Withdrawal
}

extension Withdrawal {
    init(_ end: Publication.End) {
        self =
            switch end {
            case .streamRemoved: .stream
            case .takenOver(let host): .takenOver(by: host)
            }
    }
}

extension Refusal {
    init(_ refusal: PublishingPoint.Refusal) {
        self =
            switch refusal {
            case .publishedBy(let host): Refusal(.forbidden, reason: "Published by \(host)")
            case .closed: Refusal(.notFound)
            }
    }
}
