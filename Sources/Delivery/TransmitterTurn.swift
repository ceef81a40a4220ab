import Media

/// One turn of a transmitter: its time, what it may still send, and what has come of it.
struct TransmitterTurn {
    /// What the owner of the transmitter must handle.
    struct Outcome {
        /// Viewers that took nothing for too long, to be disconnected.
        var stalled: [Viewer] = []
        /// Viewers that messages were given back for. They are behind now.
        var rolledBack: [Viewer] = []
    }

    /// When the turn began.
    private(set) var now = MonotonicTime(nanoseconds: 0)
    /// The bytes that the current audience may still send in this turn.
    private(set) var allowance = 0
    /// Whether a viewer needs a keyframe to go on.
    var wantsKeyframe = false
    var outcome = Outcome()
    /// When the first system call began that sends packets.
    private var firstSendTime: MonotonicTime?

    /// The bytes that a turn sends before the loop does other work: 3 ms of processor time.
    private static let totalAllowance = 3 << 20
    /// The cost of a message or a write besides its bytes, in bytes.
    private static let messageCost = 2_048

    mutating func begin(at now: MonotonicTime) {
        self.now = now
        firstSendTime = nil
    }

    /// Begins the share of one of `count` audiences.
    mutating func beginShare(of count: Int) {
        allowance = Self.totalAllowance / max(1, count)
    }

    mutating func countMessage(octets: Int) {
        allowance -= octets + Self.messageCost
    }

    /// Records the time of a system call that sends packets.
    mutating func recordCall() {
        if firstSendTime == nil { firstSendTime = .now() }
    }

    mutating func takeFirstSendTime() -> MonotonicTime? {
        defer { firstSendTime = nil }
        return firstSendTime
    }

    mutating func takeKeyframeRequest() -> Bool {
        defer { wantsKeyframe = false }
        return wantsKeyframe
    }

    mutating func takeOutcome() -> Outcome {
        guard !outcome.stalled.isEmpty || !outcome.rolledBack.isEmpty else { return Outcome() }
        defer { outcome = Outcome() }
        return outcome
    }
}
