import Media
import RTP

/// The repair of one viewer: its budget, and what was asked and done. Confined to its loop.
struct ViewerRepair {
    /// Requests for packets that one datagram may contain; each asks for up to 17 packets. The rest is ignored.
    static let maximumRequestCount = 16
    /// Packets that are looked up: a burst, then as many per second. At 10 % loss and 8 Mbit/s, 90 packets per second are lost, and
    /// GStreamer asks for each some times.
    private static let packets = TokenBucket.Limits(burst: 512, earning: 1_000, every: 1_000_000_000)

    var budget: RetransmissionBudget
    var packets = TokenBucket(Self.packets)
    var counts = RepairCounts()
    /// When the newest packet of the leading track was sent first that is lost for good, of those asked for in this turn. Its frame and
    /// all that refer to it are damaged until the next keyframe.
    private var lostForGood: MonotonicTime?
    /// What was lost at once of the leading track.
    private(set) var burst = LossBurst()
    /// Packets of the leading track that were sent before this time are not sent again, because the keyframe after it replaces them.
    private(set) var replacementTime = MonotonicTime(nanoseconds: .min / 2)

    init(limits: RetransmissionBudget.Limits) {
        budget = RetransmissionBudget(limits: limits)
    }

    /// A packet of the leading track is lost, and was not asked for before.
    mutating func lost(_ byteCount: Int, sentAt: MonotonicTime, at now: MonotonicTime) {
        if sentAt >= replacementTime { burst.add(byteCount: byteCount, at: now) }
    }

    /// Whether the viewer may skip to a keyframe. At most once per second, because each costs the other viewers quality.
    func maySkip(at now: MonotonicTime) -> Bool { now - replacementTime > 1_000_000_000 }

    /// The viewer continues at the next keyframe.
    mutating func replacesAll(before now: MonotonicTime) { (replacementTime, burst) = (now, LossBurst()) }

    /// A packet of the leading track is lost for good.
    mutating func lostForGood(sentAt: MonotonicTime) { lostForGood = max(lostForGood ?? sentAt, sentAt) }

    /// When the newest of the packets was sent that are lost for good since the last call; `nil` if there are none.
    mutating func takeLostForGood() -> MonotonicTime? {
        defer { lostForGood = nil }
        return lostForGood
    }
}

extension Viewer {
    /// Whether its client repeats requests late, because it has begun a short time ago. What it loses must then arrive with the first
    /// request, or without one: not if so much is lost that a queue of the network may be full.
    func repeatsRequestsLate(_ rules: RetransmissionRules, at now: MonotonicTime) -> Bool {
        guard case .playing(let start) = phase, now - start < rules.lateRepetitionTime, let repair, let leadingTrack
        else { return false }
        // A tenth, as in ``DuplicationSwitch``.
        return repair.burst.byteCount(at: now) == 0 && repair.counts.lost * 10 <= leadingTrack.packetCount
    }
}

/// What a viewer has asked to be sent again, and what became of it. Packets are counted, unless stated otherwise.
public struct RepairCounts: Hashable, Sendable {
    /// Datagrams with requests.
    public var requests: UInt64 = 0
    /// Lost packets: each counts once, although it may be asked for again.
    public var lost: UInt64 = 0
    /// Sent again.
    public var retransmitted: UInt64 = 0
    /// Not sent again because they were sent first too long ago.
    public var tooLate: UInt64 = 0
    /// Not sent again because the budget of the viewer or of the loop was exhausted.
    public var overBudget: UInt64 = 0
    /// Not sent again because that had been done a short time before, because no such packet was sent, or because packets wait in a long
    /// queue of the network.
    public var ignored: UInt64 = 0
    /// Datagrams that were ignored: too many, or about another stream.
    public var ignoredRequests: UInt64 = 0

    public init() {}
}
