import Delivery
import Media
import RTMP
import RateControl
import Streams

/// Sends a stream to one receiver over RTMP: a follower of a feed, with the receiver's times. It has no queue: what the receiver has not
/// taken stays in the feed's ring, where it can still be skipped. Confined to the loop.
public final class MessageSender {
    /// The stream that is sent.
    public let stream: Streams.Stream
    public let transport: MessageTransport
    private let codecs: EnhancedCodecs
    private let framing: MediaFraming
    /// Its place in the feed.
    public private(set) var follower: Follower<FLVFrame>
    private var timeline = PlayerTimeline()
    private let joinedAt: MonotonicTime
    /// The receiver starts at a keyframe of this track.
    private var leading: TrackID
    /// The memory of its fast start.
    private var fastStartCharge: MemoryBudget.Charge?
    private var isPaused = false
    /// What the path to the receiver carries; `nil` while no encoder follows the receivers.
    private var path: ViewerPath?
    /// Media that was given to the transport since the last call of ``takeSent()``.
    private var sent = Sent()

    /// What was given to the transport.
    public struct Sent: Hashable, Sendable {
        public var messages = 0
        public var bytes = 0
    }

    /// - Parameters:
    ///   - codecs: those of Enhanced RTMP that the receiver takes.
    ///   - leading: the receiver starts at a keyframe of this track (``FLVPackager/leading(of:to:)``).
    public init(
        _ stream: Streams.Stream, to codecs: EnhancedCodecs, leading: TrackID, over transport: MessageTransport,
        _ framing: MediaFraming, at now: MonotonicTime
    ) {
        (self.stream, self.codecs, self.leading) = (stream, codecs, leading)
        (self.transport, self.framing) = (transport, framing)
        (follower, joinedAt) = (Follower(at: now), now)
    }

    /// Joins the feed behind a fast start. Nothing is sent yet.
    public func join(_ fastStart: MessageFastStart, at now: MonotonicTime) {
        follower.join(at: fastStart.nextIndex, fastStart: fastStart.frames, at: now)
        fastStartCharge = fastStart.charge
    }

    /// Sends nothing until it resumes, except for the rest of what the transport holds. Nothing waits for the receiver until then.
    public func pause(at now: MonotonicTime) {
        isPaused = true
        // Otherwise the receiver would count as one that has not kept up, for as long as it is paused.
        follower.join(at: follower.position.index, fastStart: [], at: now)
        fastStartCharge = nil
    }

    /// Continues at the next keyframe.
    public func resume(at index: Int64, at now: MonotonicTime) {
        isPaused = false
        follower.join(at: index, fastStart: [], at: now)
    }

    /// What was given to the transport since the last call.
    public func takeSent() -> Sent {
        defer { sent = Sent() }
        return sent
    }

    /// Sends what has not been sent yet, as far as the transport takes it.
    ///
    /// - Parameter wantsKeyframe: set to true if a keyframe is to be requested.
    /// - Returns: false if the receiver has taken nothing for too long.
    public func serve(
        in view: FeedView<FLVFrame>, by policy: SlowViewerPolicy, wantsKeyframe: inout Bool, at now: MonotonicTime
    ) -> Bool {
        // A source may be silent while the rest of its last frame waits.
        if !transport.flush(at: now), now - (transport.lastProgress ?? now) >= policy.maximumStall { return false }
        guard !isPaused else { return true }
        while true {
            if !follower.keepsUp(in: view) {
                switch follower.verdict(
                    in: view, leading: leading, policy: policy, transport: transport, wantsKeyframe: &wantsKeyframe,
                    at: now)
                {
                case .send: break
                case .wait: return true
                case .disconnect: return false
                }
            }
            guard let frame = follower.next(in: view) else { break }
            if follower.passes(frame, leading: leading) {
                guard transport.isFree else {
                    follower.blocked(at: now)
                    return true
                }
                guard send(frame, at: now) else { continue }
            }
            follower.advance()
        }
        _ = follower.settle(in: view)
        if !follower.isInFastStart, !follower.fastStart.isEmpty {
            follower.releaseFastStart()
            fastStartCharge = nil
        }
        return true
    }

    /// Sends one message of a frame: most have one.
    ///
    /// - Returns: whether it was the last one.
    private func send(_ frame: FLVFrame, at now: MonotonicTime) -> Bool {
        if let head = follower.missingHead(before: frame) {
            send(head)
            leading = FLVPackager.leading(of: stream.announcement?.tracks ?? [], to: codecs) ?? leading
        }
        if frame.track == leading, follower.isAwaitingKeyframe { follower.resumed() }
        let index = follower.position.offset
        let message = frame.messages[index]
        let (head, payload) = framing.bytes(of: message, at: timeline.timestamp(of: message))
        transport.send(head, payload, at: now)
        sent.messages += 1
        sent.bytes += head.count + payload.count
        follower.took(upTo: index + 1, at: now)
        return index + 1 == frame.messages.count
    }

    private func send(_ head: FLVHead) {
        let bytes = framing.bytes(of: head, at: timeline.last)
        transport.append(bytes)
        sent.bytes += bytes.count
        follower.took(head)
    }
}

extension MessageSender {
    /// What the path to the receiver carries; `nil` if no encoder follows it.
    public var capacity: PathEstimate? { path?.estimate }

    /// Estimates what the path to the receiver carries.
    func observePath(within limits: RateLimits, in view: FeedView<FLVFrame>, at now: MonotonicTime) -> PathEstimate {
        // Taken, so that its history is not copied.
        var path = self.path.take() ?? ViewerPath(limits: limits, repair: .works)
        path.change(limits)
        path.observe(transport.output, waiting: { waitingTime(in: view, at: now) }, at: now)
        self.path = path
        return path.estimate
    }

    /// No encoder follows the receivers any more.
    func forgetPath() { path = nil }

    /// Media time that waits for the receiver here, in nanoseconds; `nil` while it reads its fast start.
    private func waitingTime(in view: FeedView<FLVFrame>, at now: MonotonicTime) -> Int64? {
        // A paused receiver may leave unread what the transport holds.
        guard !isPaused else { return 0 }
        guard !follower.isInFastStart, now - joinedAt > Follower<FLVFrame>.fastStartReadingTime else { return nil }
        return follower.lag(in: view, over: transport, at: now) ?? 0
    }
}

extension PathObserver {
    /// Estimates what the paths to receivers over RTMP carry, if that is due.
    public mutating func observe(
        _ senders: some Collection<MessageSender>, in view: FeedView<FLVFrame>, at now: MonotonicTime
    ) {
        observe(senders, at: now) { sender, limits in
            sender.observePath(within: limits, in: view, at: now)
        } forget: {
            $0.forgetPath()
        }
    }
}

extension FLVPackager {
    /// A receiver with these codecs starts at a keyframe of this track; `nil` if it can receive none of the tracks.
    public static func leading(of tracks: [Track], to codecs: EnhancedCodecs) -> TrackID? {
        tracks.filter { carries($0, to: codecs) }.leading?.id
    }
}
