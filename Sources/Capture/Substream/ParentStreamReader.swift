import Media
import Reactor
import Streams

/// Reads the units of a stream for its substream or its companion. Confined to one thread, except for the doorbell.
final class ParentStreamReader {
    /// Passes units on unchanged.
    struct PassthroughPackager: Packager {
        struct Output: PackagedUnit {
            let unit: AccessUnit
            /// The number of the announcement that it follows.
            let generation: Int
            var track: TrackID { unit.track }
            var presentationTime: MediaTime { unit.presentationTime }
            var isKeyframe: Bool { unit.isKeyframe }
            var part: AccessUnit.Part { unit.part }
            var byteCount: Int { unit.bytes.count }
        }

        private var generation = 0

        init(tracks: [Track], options: Int) {}

        mutating func announced(_ tracks: [Track], after former: [Track]) -> Bool {
            generation += 1
            return former.isCompatible(with: tracks)
        }

        mutating func package(_ unit: AccessUnit) -> Output? { Output(unit: unit, generation: generation) }
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

    enum Start {
        case nextUnit
        /// The last keyframe in the history, so that viewers need not wait for the next one.
        case lastKeyframe
    }

    /// `nil` if the stream's source has not announced its tracks yet.
    ///
    /// - Parameter doorbell: rings at each unit.
    init?(_ stream: Stream, doorbell: Doorbell, from start: Start = .nextUnit) {
        waker = DoorbellWaker(doorbell)
        self.stream = stream
        announcementCount = stream.announcementCount
        guard let feed = stream.feed(PassthroughPackager.self, options: 0, for: waker) else { return nil }
        self.feed = feed
        switch start {
        case .nextUnit: next = feed.endIndex
        case .lastKeyframe:
            var reader = FeedReader<PassthroughPackager.Output>()
            feed.update(&reader)
            let leading = feed.tracks.leading?.id
            next =
                (reader.startIndex..<reader.endIndex).last {
                    reader[$0].track == leading && reader[$0].isRandomAccessPoint
                } ?? reader.endIndex
        }
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
    func take() -> [AccessUnit] { takeOutputs().map(\.unit) }

    func takeOutputs() -> [PassthroughPackager.Output] {
        feed.update(&reader)
        let first = max(next, reader.startIndex)
        next = reader.endIndex
        guard first < next else { return [] }
        return (first..<next).map { reader[$0] }
    }
}
