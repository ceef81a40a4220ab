/// Gives the access units of a track their decode times. RTP carries them in decoding order, but with presentation times only.
///
/// With a reorder depth of *d*, unit *k* is decoded at the presentation time that is number *k* − *d* in ascending order. So decode
/// times rise strictly, and no unit is decoded after its presentation. The decode time of a unit needs only the units before it, so
/// no unit waits. Without reordering both times are equal. A plain value; times are ticks.
public struct DecodeOrder: Sendable {
    /// The times of a unit. `decode` is at most `presentation`, and greater than that of the unit before.
    public struct Times: Hashable, Sendable {
        public let decode: Int64
        public let presentation: Int64
    }

    /// The largest decoded picture buffer has 16 frames (ITU-T H.264, A.3.1).
    public static let maximumDepth = 16

    /// How many units may precede one in decoding order and follow it in presentation order.
    public private(set) var depth: Int
    private let interval: Int64
    /// The presentation times that have not become decode times, ascending; at most `depth` between two calls.
    private var pending: [Int64] = []
    private var last: Int64?
    /// Whether a presentation time has become a decode time.
    private var hasBegun = false
    /// Whether the previous unit came after its presentation time.
    private var wasLate = false

    /// - Parameters:
    ///   - depth: `max_num_reorder_frames` of the sequence parameter set, if it has that. If it turns out to be too small, it
    ///     grows, and the units until then are presented later than they should be.
    ///   - interval: the usual time between two units, at least 1. It sets the decode times of the first `depth` units, which are
    ///     before all presentation times.
    public init(depth: Int = 0, interval: Int64) {
        self.depth = min(max(0, depth), Self.maximumDepth)
        self.interval = max(1, interval)
    }

    /// The times of the next unit in decoding order.
    public mutating func times(presentation: Int64) -> Times {
        let decode = decodeTime(presentation)
        last = decode
        return Times(decode: decode, presentation: max(presentation, decode))
    }

    private mutating func decodeTime(_ presentation: Int64) -> Int64 {
        if let last, presentation <= last {
            // The stream reorders more than the depth, or a presentation time came twice. The depth grows once for several such units
            // in a row.
            if presentation < last, !wasLate, depth < Self.maximumDepth { depth += 1 }
            wasLate = true
            return last &+ 1
        }
        wasLate = false
        insert(presentation)
        if pending.count > depth {
            hasBegun = true
            return max(pending.removeFirst(), last.map { $0 &+ 1 } ?? .min)
        }
        // The first unit may be presented as late as `depth` units after those that follow it.
        guard let last else { return presentation &- 2 &* Int64(depth) &* interval }
        // After the depth has grown, the smallest step makes room for the units to come.
        return max(last &+ 1, min(last &+ (hasBegun ? 1 : interval), pending[0] &- 1))
    }

    private mutating func insert(_ presentation: Int64) {
        let index = pending.lastIndex { $0 <= presentation }.map { $0 + 1 } ?? 0
        pending.insert(presentation, at: index)
    }
}
