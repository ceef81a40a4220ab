import Media
import RTP
import RateControl
import Streams

/// Sends a feed of transport packets over one connection: a follower without a queue of its own. Confined to the thread of SRT.
///
/// libsrt keeps each message until the peer has acknowledged it, so its send buffer shows how far the peer is behind. A peer that is
/// behind by the latency and the lag that viewers may have is sent nothing until the buffer has drained, and then whole frames from a
/// keyframe on. Before that, libsrt itself would drop single messages after a second.
///
/// Messages have the time at which they are sent as source time, so each has the whole latency to be repaired (docs/decisions/069).
final class FeedSender {
    enum Result: Equatable {
        case keepsUp
        /// Outputs wait.
        case isBehind
        /// The peer has acknowledged nothing for too long.
        case stalled
        /// The connection is broken.
        case broken
    }

    let socket: SRTSocket
    private(set) var follower: Follower<PacketRun>
    private let leading: TrackID
    private var transport: SendState
    /// When a null packet was sent last.
    private var lastProbe = MonotonicTime(nanoseconds: 0)
    /// What the path to the peer carries; `nil` while no encoder follows it.
    private var path: SRTPath?
    /// Bytes given to libsrt so far.
    private var takenByteCount: UInt64 = 0
    /// The memory of the fast start.
    private var fastStartCharge: MemoryBudget.Charge?

    /// - Parameter latency: on which both ends have agreed, in nanoseconds.
    init(to socket: SRTSocket, leading: TrackID, latency: Int64, at now: MonotonicTime) {
        (self.socket, self.leading) = (socket, leading)
        (follower, transport) = (Follower(at: now), SendState(latency: latency))
    }

    /// Joins the feed behind a fast start.
    func join(_ fastStart: TransportFastStart, at now: MonotonicTime) {
        follower.join(at: fastStart.nextIndex, fastStart: fastStart.runs, at: now)
        fastStartCharge = fastStart.charge
    }

    /// How far the peer is behind, in nanoseconds of media.
    func lag(in view: FeedView<PacketRun>, at now: MonotonicTime) -> Int64 {
        max(transport.buffer.duration, follower.lag(in: view, over: transport, at: now) ?? 0)
    }

    /// What the path to the peer carries; `nil` while no encoder follows it.
    var capacity: PathEstimate? { path?.estimate }

    /// Estimates what the path to the peer carries. Call it every 50 ms.
    func observePath(within limits: RateLimits, in view: FeedView<PacketRun>, at now: MonotonicTime) -> PathEstimate {
        // Taken, so that its history is not copied.
        var path = self.path.take() ?? SRTPath(limits: limits)
        path.change(limits)
        if let statistics = socket.statistics {
            // What libsrt has taken is in its statistics.
            let nothingTaken = SendState(latency: transport.latency)
            let waiting = follower.isInFastStart ? nil : follower.lag(in: view, over: nothingTaken, at: now)
            path.observe(statistics, takenByteCount: takenByteCount, waiting: waiting ?? 0, at: now)
        }
        self.path = path
        return path.estimate
    }

    /// No encoder follows the peer any more.
    func forgetPath() { path = nil }

    /// Sends what has not been sent yet, as far as the connection takes it.
    ///
    /// - Parameter wantsKeyframe: set to true if a keyframe is to be requested.
    func serve(
        in view: FeedView<PacketRun>, by policy: SlowViewerPolicy, wantsKeyframe: inout Bool, at now: MonotonicTime
    ) -> Result {
        guard let buffer = socket.sendBuffer else { return .broken }
        transport.buffer = buffer
        var packetCount = 0
        while true {
            // The rest of a fast start follows in the next turns.
            if follower.isInFastStart, packetCount >= Self.burstPacketCount { return .isBehind }
            if follower.position.offset == 0, transport.isLate(by: policy) { follower.blocked(at: now) }
            if !follower.keepsUp(in: view) {
                switch follower.verdict(
                    in: view, leading: leading, policy: policy, transport: transport, wantsKeyframe: &wantsKeyframe,
                    at: now)
                {
                case .send: break
                case .wait: return probe(at: now) ? .isBehind : .broken
                case .disconnect: return .stalled
                }
            }
            guard let run = follower.next(in: view) else { break }
            if follower.passes(run, leading: leading) {
                if run.track == leading, follower.isAwaitingKeyframe { follower.resumed() }
                packetCount += run.packets.count
                guard let isSent = send(run, at: now) else { return .broken }
                guard isSent else {
                    follower.blocked(at: now)
                    return .isBehind
                }
            }
            follower.advance()
        }
        if !follower.isInFastStart, !follower.fastStart.isEmpty {
            follower.releaseFastStart()
            fastStartCharge = nil
        }
        return follower.settle(in: view) ? .keepsUp : .isBehind
    }

    /// Sends a null packet, which players ignore, ten times a second while nothing else is sent. The peer learns from it what it lacks,
    /// and libsrt drops what is too late. Without it, neither would happen after all packets on their way have been lost.
    ///
    /// - Returns: false if the connection is broken.
    private func probe(at now: MonotonicTime) -> Bool {
        guard now - lastProbe >= Self.probeInterval else { return true }
        lastProbe = now
        return Self.nullPacket.withUnsafeBytes { socket.send($0) } != nil
    }

    /// Packets of a fast start that are sent in one turn, besides the rest of a frame: 30 to 60 Mbit/s. libsrt sends what it has with a
    /// gigabit per second, which routers and receivers drop.
    private static let burstPacketCount = 32
    private static let probeInterval: Int64 = 100_000_000
    /// A transport packet of PID 0x1FFF (ISO/IEC 13818-1, 2.4.3.3).
    private static let nullPacket: [UInt8] = [0x47, 0x1F, 0xFF, 0x10] + [UInt8](repeating: 0xFF, count: 184)

    /// Sends the packets of a run that are not sent yet.
    ///
    /// - Returns: whether all are sent; `nil` if the connection is broken.
    private func send(_ run: PacketRun, at now: MonotonicTime) -> Bool? {
        for index in follower.position.offset..<run.packets.count {
            guard let isTaken = socket.send(run.payload(of: run.packets[index])) else { return nil }
            guard isTaken else { return false }
            takenByteCount += UInt64(run.packets[index].byteCount)
            follower.took(upTo: index + 1, at: now)
        }
        return true
    }
}

/// What a connection has taken and the peer has not acknowledged.
private struct SendState: FollowerTransport {
    /// On which both ends have agreed, in nanoseconds.
    let latency: Int64
    var buffer = SRTSocket.SendBuffer(duration: 0, byteCount: 0)

    /// Whether the peer is so far behind that nothing more is sent.
    func isLate(by policy: SlowViewerPolicy) -> Bool { buffer.duration > policy.maximumLag + latency }

    var lastProgress: MonotonicTime? { nil }

    func unreadByteCount(at now: MonotonicTime) -> Int { buffer.byteCount }

    /// What follows is then in time, also if it is lost once. A few null packets are on their way if the round trip is long.
    func isDrained(at now: MonotonicTime) -> Bool {
        buffer.duration <= latency / 2 || buffer.byteCount <= Self.probeByteCount
    }

    /// Null packets of a round trip of two seconds.
    private static let probeByteCount = 20 * 188
}
