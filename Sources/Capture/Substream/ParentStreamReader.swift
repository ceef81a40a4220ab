import Media
import Reactor
import Streams

/// What a stream publishes, for a source that makes another stream of it. Confined to one thread, but for the ringing.
final class ParentStreamReader {
    /// Hands units on as they are.
    struct PassthroughPackager: Packager {
        struct Output: PackagedUnit {
            let unit: AccessUnit
            var track: TrackID { unit.track }
            var presentationTime: MediaTime { unit.presentationTime }
            var isKeyframe: Bool { unit.isKeyframe }
            var byteCount: Int { unit.bytes.count }
        }

        init(tracks: [Track], options: Int) {}

        mutating func package(_ unit: AccessUnit) -> Output? { Output(unit: unit) }
    }

    private final class DoorbellWaker: Waker {
        private let doorbell: Doorbell
        init(_ doorbell: Doorbell) { self.doorbell = doorbell }
        func wake() { doorbell.ring() }
    }

    private let stream: Stream
    private var announcementCount: UInt64
    private let feed: Feed<PassthroughPackager>
    private let waker: DoorbellWaker
    private var reader = FeedReader<PassthroughPackager.Output>()
    private var next: Int64

    /// From the next unit on; `nil` before the stream's source has announced its tracks.
    ///
    /// - Parameter doorbell: rings at each unit.
    init?(_ stream: Stream, doorbell: Doorbell) {
        waker = DoorbellWaker(doorbell)
        self.stream = stream
        announcementCount = stream.announcementCount
        guard let feed = stream.feed(PassthroughPackager.self, options: 0, for: waker) else { return nil }
        self.feed = feed
        next = feed.endIndex
    }

    deinit {
        feed.detach(waker)
    }

    /// As announced last.
    var tracks: [Track] { stream.announcement?.tracks ?? feed.tracks }

    /// Whether tracks were announced since the last call.
    func isAnnouncedAnew() -> Bool {
        let count = stream.announcementCount
        defer { announcementCount = count }
        return count != announcementCount
    }

    /// Whether the stream's tracks are others now: there comes no more.
    var hasEnded: Bool { reader.hasEnded }

    /// What has been published since the last call, in capture order. What has left the stream's history meanwhile is lost.
    func take() -> [AccessUnit] {
        feed.update(&reader)
        let first = max(next, reader.startIndex)
        next = reader.endIndex
        guard first < next else { return [] }
        return (first..<next).map { reader[$0].unit }
    }
}
