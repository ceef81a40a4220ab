import Delivery
import Media
import RTMP
import RTSP
import Streams

/// One viewer over RTMP: a follower of a feed, with its own times. It has no queue. Confined to the loop.
final class Player {
    let id: ViewerID
    let path: OfferedPath
    let grant: Grant
    let codecs: EnhancedCodecs
    let transport: PlayerTransport
    let startedAt: MonotonicTime
    /// The message stream of its media.
    private let streamID: UInt32
    /// The stream that it is served from, which is another one than the path's if tracks are encoded again.
    let source: Streams.Stream
    /// Makes the sources of on-demand streams run.
    private let uses: [StreamUse]
    /// Its place in the feed.
    private(set) var follower: Follower<FLVFrame>
    private var timeline = PlayerTimeline()
    /// The track at whose keyframes it starts.
    private var leading: TrackID
    /// The memory of its fast start.
    private var fastStartCharge: MemoryBudget.Charge?
    private(set) var isPaused = false
    /// Bytes that were given to the transport since the last call of ``takeSentByteCount()``.
    private var sentByteCount = 0

    init(
        _ id: ViewerID, _ path: OfferedPath, _ grant: Grant, _ codecs: EnhancedCodecs, from source: Streams.Stream,
        leading: TrackID, over transport: PlayerTransport, on streamID: UInt32, at now: MonotonicTime
    ) {
        (self.id, self.path, self.grant, self.codecs) = (id, path, grant, codecs)
        (self.source, self.leading, self.transport, self.streamID) = (source, leading, transport, streamID)
        uses = [StreamUse(of: path.stream)] + (source === path.stream ? [] : [StreamUse(of: source)])
        (startedAt, follower) = (now, Follower(at: now))
    }

    /// Units that were skipped because it did not keep up.
    var droppedUnits: UInt64 { follower.droppedUnits }

    /// Joins the feed behind a fast start. Nothing is sent yet, because the answer to `play` comes first.
    func join(_ fastStart: PlayerFastStart, at now: MonotonicTime) {
        follower.join(at: fastStart.nextIndex, fastStart: fastStart.frames, at: now)
        fastStartCharge = fastStart.charge
    }

    /// Sends nothing until it resumes.
    func pause() { isPaused = true }

    /// Continues at the next keyframe.
    func resume(at index: Int64, at now: MonotonicTime) {
        isPaused = false
        follower.join(at: index, fastStart: [], at: now)
    }

    /// Bytes of media that were given to the transport since the last call.
    func takeSentByteCount() -> Int {
        defer { sentByteCount = 0 }
        return sentByteCount
    }
}

// MARK: - Sending

extension Player {
    /// Sends what it has not been sent yet, as far as the transport takes it.
    ///
    /// - Parameter wantsKeyframe: set to true if a keyframe is to be requested.
    /// - Returns: false if it has taken nothing for too long.
    func serve(
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
            leading = FLVPackager.leading(of: source.announcement?.tracks ?? [], to: codecs) ?? leading
        }
        if frame.track == leading, follower.isAwaitingKeyframe { follower.resumed() }
        let index = follower.position.offset
        let message = frame.messages[index]
        let header = message.header(streamID: streamID, at: timeline.timestamp(of: message)).bytes
        transport.send(header, message.payload, at: now)
        sentByteCount += header.count + message.payload.count
        follower.took(upTo: index + 1, at: now)
        return index + 1 == frame.messages.count
    }

    private func send(_ head: FLVHead) {
        let bytes = head.bytes(streamID: streamID, at: timeline.last)
        transport.append(bytes)
        sentByteCount += bytes.count
        follower.took(head)
    }
}

extension FLVPackager {
    /// The track at whose keyframes a player with these codecs starts; `nil` if it can receive none of the tracks.
    static func leading(of tracks: [Track], to codecs: EnhancedCodecs) -> TrackID? {
        tracks.filter { carries($0, to: codecs) }.leading?.id
    }
}

// MARK: - Events

extension Player {
    /// Publishes and counts that it begins to play.
    func reportJoined(_ client: StreamEvent.Client) {
        path.stream.viewerCounts.joined(over: client.transport)
        path.stream.events?.publish(path.stream.path) { .viewerJoined(client) }
    }

    /// Publishes and counts that it has left.
    func reportLeft(_ client: StreamEvent.Client, _ departure: ViewerCounts.Departure, because reason: String) {
        path.stream.viewerCounts.left(over: client.transport, departure)
        path.stream.events?.publish(path.stream.path) { .viewerLeft(client, reason: reason) }
    }
}
