import Media
import Reactor
import Streams

/// Reads the units of a parent stream for its substream. Confined to one thread, except for the doorbell.
final class ParentStreamReader {
    /// Passes units on unchanged.
    struct PassthroughPackager: Packager {
        struct Output: PackagedUnit {
            let unit: AccessUnit
            var track: TrackID { unit.track }
            var presentationTime: MediaTime { unit.presentationTime }
            var isKeyframe: Bool { unit.isKeyframe }
            var part: AccessUnit.Part { unit.part }
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

    /// Starts at the next unit; `nil` if the stream's source has not announced its tracks yet.
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

    /// The tracks announced last.
    var tracks: [Track] { stream.announcement?.tracks ?? feed.tracks }

    /// Whether tracks were announced since the last call.
    func hasNewAnnouncement() -> Bool {
        let count = stream.announcementCount
        defer { announcementCount = count }
        return count != announcementCount
    }

    /// Whether the stream's tracks have changed; no more units follow.
    var hasEnded: Bool { reader.hasEnded }

    /// Goes back to the newest keyframe of a track, or its part of one, if that is in the stream's history.
    func rewind(toKeyframeOf track: TrackID) {
        feed.update(&reader)
        var index = reader.endIndex
        while index > reader.startIndex {
            index -= 1
            guard reader[index].track == track, reader[index].isRandomAccessPoint else { continue }
            next = index
            return
        }
    }

    /// The presentation time of the newest unit of the stream; `nil` if there is none.
    var newestTime: MediaTime? {
        feed.update(&reader)
        return reader.endIndex > reader.startIndex ? reader[reader.endIndex - 1].presentationTime : nil
    }

    /// The units published since the last call, in capture order. Units that have left the stream's history are lost.
    func take() -> [AccessUnit] {
        feed.update(&reader)
        let first = max(next, reader.startIndex)
        next = reader.endIndex
        guard first < next else { return [] }
        return (first..<next).map { reader[$0].unit }
    }
}
