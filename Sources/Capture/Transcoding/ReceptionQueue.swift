import Media

/// What waits for a transcoder's thread, in order and bounded. A pure value.
///
/// If pictures are encoded too slowly, the oldest that wait are dropped. If the thread is too slow for that much, everything that waits
/// is dropped: what comes then is newer, and the sender never waits. Tracks that are not encoded again continue at a keyframe.
struct ReceptionQueue: Sendable {
    enum Order: Sendable {
        case announce([Track])
        case publish(AccessUnit)
    }

    /// Orders that may wait: more than a second of all tracks.
    static let orderLimit = 256
    /// Bytes that may wait: several times the largest frames.
    static let byteLimit = 16_000_000

    /// Frames of a track of pictures that may wait. Each stands alone, so the newest are of the most use.
    static let pictureLimit = 3

    private let formats: [TrackID: TranscodedFormat]
    private var orders: [Order] = []
    /// The first order that was not taken.
    private var start = 0
    private var byteCount = 0
    private var dropCount = 0
    /// Tracks of which units were dropped, so that only a keyframe is of use.
    private var awaitingKeyframe: Set<TrackID> = []

    init(transcoding formats: [TrackID: TranscodedFormat]) {
        self.formats = formats
    }

    mutating func append(_ order: Order) {
        if case .publish(let unit) = order {
            if !unit.isKeyframe, awaitingKeyframe.contains(unit.track) {
                dropCount += 1
                return
            }
            awaitingKeyframe.remove(unit.track)
            if case .motionJPEG = formats[unit.track] { dropOldPicture(of: unit.track) }
        }
        if orders.count - start >= Self.orderLimit || byteCount + order.byteCount > Self.byteLimit { dropAll() }
        orders.append(order)
        byteCount += order.byteCount
    }

    /// The oldest order.
    mutating func next() -> Order? {
        guard start < orders.count else { return nil }
        let order = orders[start]
        start += 1
        byteCount -= order.byteCount
        // What was taken is freed at the latest when it is half of the list.
        if 2 * start >= orders.count {
            orders.removeFirst(start)
            start = 0
        }
        return order
    }

    /// How many units were dropped since the last call.
    mutating func takeDropCount() -> Int {
        defer { dropCount = 0 }
        return dropCount
    }

    /// Makes room for a picture.
    private mutating func dropOldPicture(of track: TrackID) {
        let waiting = orders.indices[start...].filter {
            if case .publish(let unit) = orders[$0] { unit.track == track } else { false }
        }
        guard waiting.count >= Self.pictureLimit else { return }
        byteCount -= orders.remove(at: waiting[0]).byteCount
        dropCount += 1
    }

    /// Drops all units; the last announcement stays.
    private mutating func dropAll() {
        var announcement: Order?
        for order in orders[start...] {
            switch order {
            case .announce: announcement = order
            case .publish(let unit):
                dropCount += 1
                if formats[unit.track] == nil { awaitingKeyframe.insert(unit.track) }
            }
        }
        (orders, start, byteCount) = (announcement.map { [$0] } ?? [], 0, 0)
    }
}

extension ReceptionQueue.Order {
    fileprivate var byteCount: Int {
        switch self {
        case .announce: 0
        case .publish(let unit): unit.bytes.count
        }
    }
}
