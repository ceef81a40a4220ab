import Media

/// The progress of one receiver of a feed: an RTP viewer, the body of an HTTP response, a recorder. It has no queue: its backlog
/// stays in the feed's ring, where it can still be skipped. A plain value.
///
/// ```
///                  sent a keyframe                     too late
///    awaiting ───────────────────────▶ continuous ─────────────────▶ draining ──┐
///    keyframe ◀───────────────────────────────────────────────────────────────── ┘
///                  the transport has drained
/// ```
///
/// The owner calls ``verdict(in:leading:policy:transport:at:)`` before each output, sends ``next(in:)`` unless it is to be left
/// out (``passes(_:leading:)``), with the ``missingHead(before:)`` before it, and then calls ``advance()``. If the transport takes no more, it calls ``blocked(at:)``, and if
/// the transport gives an output back, ``rollBack(to:)``.
public struct Follower<Output: PackagedUnit> {
    /// Whether outputs may be sent one after the other.
    public enum Continuity: Equatable, Sendable {
        case continuous
        /// Outputs of the leading track are left out up to the next keyframe.
        case awaitingKeyframe
        /// Nothing is sent until the transport has drained, because it would be late. Then a keyframe is awaited.
        case draining
    }

    /// Whether outputs wait for the follower.
    public enum Backlog: Equatable, Sendable {
        case none
        case waiting(since: MonotonicTime)
    }

    /// What the transport may give back: the state before an output was handed to it.
    public struct Checkpoint: Equatable, BitwiseCopyable, Sendable {
        public var position: FollowerPosition
        public let isAwaitingKeyframe: Bool

        @inlinable
        public init(position: FollowerPosition, isAwaitingKeyframe: Bool) {
            (self.position, self.isAwaitingKeyframe) = (position, isAwaitingKeyframe)
        }
    }

    // Only the functions below set these four. The setters are public because these functions are inlined into the loops that
    // call them for each output; generic and not inlined, they look up their types and check exclusive access on each call.
    public var position = FollowerPosition()
    public var continuity = Continuity.continuous
    public var backlog = Backlog.none
    /// The head that it was sent last; `nil` before the first, and if outputs need none. A new join keeps it.
    public private(set) var head: Output.Head?
    /// The outputs that it gets before it follows the feed: from a keyframe to the point where it joined.
    public private(set) var fastStart: [Output] = []
    /// When it last took something.
    public var lastProgress: MonotonicTime
    /// Outputs that were skipped because it did not keep up.
    public private(set) var droppedUnits: UInt64 = 0
    /// When it last requested a keyframe because it had fallen behind.
    private var lastKeyframeRequest = MonotonicTime(nanoseconds: .min / 2)

    public init(at now: MonotonicTime) {
        lastProgress = now
    }

    /// Begins at the keyframe that `fastStart` begins with, or at the next one if it is empty.
    ///
    /// - Parameter index: the index in the feed of the first output after the fast start.
    public mutating func join(at index: Int64, fastStart: [Output], at now: MonotonicTime) {
        position = FollowerPosition(index: index)
        self.fastStart = fastStart
        continuity = fastStart.isEmpty ? .awaitingKeyframe : .continuous
        backlog = .none
        lastProgress = now
    }

    /// Continues in another feed, at the next keyframe from an index on. Until its transport has drained, nothing is sent.
    ///
    /// - Parameter skipped: how many outputs of the former feed are left out.
    public mutating func move(to index: Int64, skipping skipped: Int) {
        releaseFastStart()
        position = FollowerPosition(index: index)
        if !isDraining { continuity = .awaitingKeyframe }
        droppedUnits += UInt64(skipped)
    }

    /// Releases the outputs of the fast start. Nothing may point into them any more.
    public mutating func releaseFastStart() {
        fastStart = []
        position.fastStart = 0
    }
}

// MARK: - Sending

extension Follower {
    /// Whether the next output belongs to the fast start.
    @inlinable
    public var isInFastStart: Bool { position.fastStart < fastStart.count }

    /// Whether outputs of the leading track are left out up to a keyframe.
    @inlinable
    public var isAwaitingKeyframe: Bool { continuity != .continuous }

    /// Whether nothing is sent until the transport has drained.
    @inlinable
    public var isDraining: Bool { continuity == .draining }

    /// The state before the next output is handed to the transport.
    @inlinable
    public var checkpoint: Checkpoint { Checkpoint(position: position, isAwaitingKeyframe: isAwaitingKeyframe) }

    /// The next output; `nil` if there is none yet.
    @inlinable
    public func next(in view: FeedView<Output>) -> Output? {
        isInFastStart ? fastStart[position.fastStart] : view.output(at: position.index)
    }

    /// Whether `output`, which is next, is sent; otherwise it is left out.
    @inlinable
    public func passes(_ output: Output, leading: TrackID) -> Bool {
        !isAwaitingKeyframe || output.track != leading || output.isRandomAccessPoint || position.offset > 0
    }

    /// The head that is to be sent before `output`; `nil` if `output` needs none, or the one that was sent last.
    public func missingHead(before output: Output) -> Output.Head? {
        guard let needed = output.head, needed.generation != head?.generation else { return nil }
        return needed
    }

    /// The transport has taken `head`. Transports of outputs with heads are reliable, so heads are never given back.
    public mutating func took(_ head: Output.Head) { self.head = head }

    /// Sending has resumed with a keyframe.
    @inlinable
    public mutating func resumed() { continuity = .continuous }

    /// The transport has taken the next output up to `offset`.
    @inlinable
    public mutating func took(upTo offset: Int, at now: MonotonicTime) {
        position.offset = offset
        lastProgress = now
    }

    /// Goes to the next output, because this one was sent whole or left out.
    @inlinable
    public mutating func advance() {
        if isInFastStart { position.fastStart += 1 } else { position.index += 1 }
        position.offset = 0
    }

    /// The transport takes no more for now.
    @inlinable
    public mutating func blocked(at now: MonotonicTime) {
        if backlog == .none { backlog = .waiting(since: now) }
    }

    /// Notes that nothing waits, if that is so.
    ///
    /// - Returns: whether it is so.
    @inlinable
    public mutating func settle(in view: FeedView<Output>) -> Bool {
        guard position.index >= view.endIndex, !isDraining else { return false }
        backlog = .none
        return true
    }

    /// Whether it was sent everything.
    @inlinable
    public func isCaughtUp(in view: FeedView<Output>) -> Bool {
        position.index >= view.endIndex && !isInFastStart && !isDraining
    }

    /// Returns to the state before an output that the transport has given back.
    public mutating func rollBack(to checkpoint: Checkpoint) {
        position = checkpoint.position
        continuity = checkpoint.isAwaitingKeyframe ? .awaitingKeyframe : .continuous
    }
}

// MARK: - Keeping up

extension Follower {
    /// What the owner does with a follower.
    public enum Verdict: Equatable, Sendable {
        /// Send the next output.
        case send
        /// Send nothing now.
        case wait
        /// It has taken nothing for too long: disconnect it.
        case disconnect
    }

    /// How long a receiver may take to read its fast start, in nanoseconds. Until then, what it has not read is no lag, because it
    /// reads its fast start as fast as it can decode.
    public static var fastStartReadingTime: Int64 { 2_000_000_000 }

    /// How often a follower that falls behind may cost the others a keyframe, in nanoseconds. At half the stream's rate it falls
    /// behind all the time, and each of its requests would raise the QP for all by 1.
    static var keyframeRequestInterval: Int64 { 10_000_000_000 }

    /// Whether the next output may be sent because the follower was sent everything before. In this usual case no more is to be
    /// asked, and it costs two comparisons.
    @inlinable
    public func keepsUp(in view: FeedView<Output>) -> Bool {
        backlog == .none && position.index >= view.startIndex
    }

    /// Whether the next output may be sent. A follower that is too late skips to a keyframe.
    ///
    /// - Parameters:
    ///   - leading: the track whose keyframes it can start at.
    ///   - wantsKeyframe: set to true if a keyframe is to be requested from the source.
    public mutating func verdict(
        in view: FeedView<Output>, leading: TrackID, policy: SlowViewerPolicy, transport: some FollowerTransport,
        wantsKeyframe: inout Bool, at now: MonotonicTime
    ) -> Verdict {
        guard !keepsUp(in: view), let lag = lag(in: view, over: transport, at: now) else {
            return isDraining ? .wait : .send
        }
        let isInsideUnit = position.offset > 0 || view.output(at: position.index)?.part.isStart == false
        switch policy.action(
            lag: lag, stall: stall(of: transport, at: now), isInsideUnit: isInsideUnit,
            isOverrun: position.index < view.startIndex)
        {
        case .keepSending: if !isDraining { return .send }
        case .skipToKeyframe: skip(at: now)
        case .disconnect: return .disconnect
        }
        if resume(in: view, leading, within: policy.maximumLag / 2, transport, at: now) { wantsKeyframe = true }
        return isDraining ? .wait : .send
    }

    /// How far it is behind: media time from what has reached the receiver to the newest output, in nanoseconds; `nil` if it was
    /// sent everything.
    ///
    /// The lag is at most the time that an output has waited for it, so that a source's late burst makes no follower late. Bytes
    /// that the transport still holds count too, at the stream's rate.
    public func lag(in view: FeedView<Output>, over transport: some FollowerTransport, at now: MonotonicTime) -> Int64?
    {
        guard let newest = view.output(at: view.endIndex - 1), position.index < view.endIndex,
            let next = view.output(at: max(position.index, view.startIndex))
        else { return nil }
        let lag = min(waitingTime(at: now), newest.presentationTime.nanoseconds &- next.presentationTime.nanoseconds)
        return lag &+ Int64(transport.unreadByteCount(at: now)) &* view.nanosecondsPerByte
    }

    private func waitingTime(at now: MonotonicTime) -> Int64 {
        if case .waiting(let start) = backlog { now - start } else { 0 }
    }

    private func stall(of transport: some FollowerTransport, at now: MonotonicTime) -> Int64 {
        guard case .waiting(let start) = backlog else { return 0 }
        return now - max(start, lastProgress, transport.lastProgress ?? lastProgress)
    }

    /// Leaves out what waits, and continues at the next keyframe, because too much was lost of what was sent before.
    public mutating func skipToNextKeyframe(in view: FeedView<Output>) {
        let skipped = Int64(fastStart.count - position.fastStart) + max(0, view.endIndex - position.index)
        position = FollowerPosition(fastStart: fastStart.count, index: max(position.index, view.endIndex))
        droppedUnits += UInt64(skipped)
        if !isDraining { continuity = .awaitingKeyframe }
    }

    /// Skips everything that waits. The transport drains first, so that what follows is not late.
    private mutating func skip(at now: MonotonicTime) {
        // The fast start is skipped now, but released by the owner, because messages may still point into it.
        position.fastStart = fastStart.count
        position.offset = 0
        continuity = .draining
        // Otherwise the skip would be forgotten, and one new output would be sent before the transport has drained.
        blocked(at: now)
    }

    /// Continues at the newest keyframe if that is recent, otherwise at the next, once the transport has drained.
    ///
    /// - Returns: whether a keyframe is to be requested.
    private mutating func resume(
        in view: FeedView<Output>, _ leading: TrackID, within age: Int64, _ transport: some FollowerTransport,
        at now: MonotonicTime
    ) -> Bool {
        let before = position.index
        let isDrained = transport.isDrained(at: now)
        let recent = view.recentKeyframe(from: before, of: leading, within: age)
        position.index = max(before, recent ?? view.endIndex)
        droppedUnits += UInt64(position.index - before)
        guard isDrained else { return false }
        continuity = .awaitingKeyframe
        guard recent == nil, now - lastKeyframeRequest > Self.keyframeRequestInterval else { return false }
        lastKeyframeRequest = now
        return true
    }
}
