import Serving

/// A viewer that counts against the limit of all protocols as long as this object lives.
final class CountedViewer: Sendable {
    private let services: any SharedServices

    /// `nil` if there are too many viewers.
    init?(by services: any SharedServices) {
        guard services.admitViewer() else { return nil }
        self.services = services
    }

    deinit { services.viewerLeft() }
}
