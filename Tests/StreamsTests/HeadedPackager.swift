import Media

@testable import Streams

/// A packager of a byte stream that begins with a head, as an HTTP body or a file needs it.
struct HeadedPackager: Packager {
    struct Fragment: PackagedUnit {
        let head: TracksHead?
        let unit: AccessUnit

        var track: TrackID { unit.track }
        var presentationTime: MediaTime { unit.presentationTime }
        var isKeyframe: Bool { unit.isKeyframe }
        var part: AccessUnit.Part { unit.part }
        var byteCount: Int { unit.bytes.count }
    }

    private var tracksHead: TracksHead

    init(tracks: [Track], options: Int) {
        tracksHead = TracksHead(generation: .first, formats: tracks.map(\.format))
    }

    var head: TracksHead? { tracksHead }

    mutating func announced(_ tracks: [Track], after former: [Track]) -> Bool {
        let formats = tracks.map(\.format)
        if formats != tracksHead.formats {
            tracksHead = TracksHead(generation: tracksHead.generation.next, formats: formats)
        }
        return true
    }

    func package(_ unit: AccessUnit) -> Fragment? {
        Fragment(head: tracksHead, unit: unit)
    }
}

/// The head of a byte stream: the formats of its tracks, as in an init segment.
struct TracksHead: PackagedHead {
    let generation: Generation
    let formats: [Track.Format]
}

/// The body of one response, as a receiver reads it.
struct Body {
    enum Item: Hashable {
        case head([Track.Format])
        /// With its time in milliseconds.
        case fragment(Int64)
    }

    private(set) var items: [Item] = []
    private let view = FeedView<HeadedPackager.Fragment>()
    private var follower = Follower<HeadedPackager.Fragment>(at: MonotonicTime(nanoseconds: 0))

    /// Begins with `fastStart` and continues with the output at `index` of the feed.
    mutating func join(at index: Int64, fastStart: [HeadedPackager.Fragment]) {
        follower.join(at: index, fastStart: fastStart, at: MonotonicTime(nanoseconds: 0))
    }

    /// Appends everything that was not sent yet, with the heads that it needs.
    mutating func update(from feed: Feed<HeadedPackager>) {
        feed.update(&view.reader)
        while let fragment = follower.next(in: view) {
            if let head = follower.missingHead(before: fragment) {
                items.append(.head(head.formats))
                follower.took(head)
            }
            items.append(.fragment(fragment.unit.milliseconds))
            follower.advance()
        }
    }
}
