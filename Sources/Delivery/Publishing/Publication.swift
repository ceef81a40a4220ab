import Streams

/// One client's publication of a stream, from its beginning to its end. Thread-safe.
public final class Publication: Sendable {
    /// Why another thread ends a publication.
    public enum End: Hashable, Sendable {
        case streamRemoved
        /// The publisher at this host has taken over the stream.
        case takenOver(by: String)
    }

    public let publisher: PublishingPoint.Publisher
    /// As `apus status` names it.
    public let transport: String
    let texts: PublishedTexts
    public let input: StreamInput
    /// Its video tracks beside the main one, which other paths have.
    let further = FurtherPublications()
    /// Asks the publisher for a keyframe; `nil` if it ignores such requests.
    let requestKeyframe: (@Sendable () -> Void)?
    private let ended: @Sendable (End) -> Void

    /// - Parameters:
    ///   - requestKeyframe: asks the publisher for a keyframe, on any thread; `nil` if it ignores such requests.
    ///   - ended: is called when another thread ends the publication, on that thread. Its connection must be closed.
    public init(
        _ publisher: PublishingPoint.Publisher, over transport: String, _ texts: PublishedTexts,
        at point: PublishingPoint, requestKeyframe: (@Sendable () -> Void)? = nil,
        ended: @escaping @Sendable (End) -> Void
    ) {
        (self.publisher, self.transport, self.texts) = (publisher, transport, texts)
        input = StreamInput(into: point.stream, trust: point.trust, transcoding: point.transcoding)
        (self.requestKeyframe, self.ended) = (requestKeyframe, ended)
    }

    /// The publisher, as events describe it.
    public var eventClient: StreamEvent.Client {
        StreamEvent.Client(
            peer: "\(publisher.peer)", name: publisher.userAgent, transport: transport, user: publisher.user)
    }

    /// Ends it from any thread: the stream gets nothing more, and neither do the paths that have further tracks.
    func end(_ end: End) {
        input.close()
        further.close()
        ended(end)
    }
}
