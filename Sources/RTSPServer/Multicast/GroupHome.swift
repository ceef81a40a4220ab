import Delivery
import Media
import RTP
import RTSP
import Reactor
import Streams

/// Sends to the multicast groups of all paths, for members on any loop: the home of the groups. One loop has it. Confined to that
/// loop.
final class GroupHome {
    private let place: LoopPlace
    private let context: ServerContext
    private let usesGSO: Bool
    private let requests: Mailbox<GroupRequest>
    private let log: ServiceLog
    private let groups = MulticastGroups()
    private var numbers = SystemRandomNumberGenerator()
    /// When to look for groups that must be sent without a PLAY.
    private var nextRound = MonotonicTime(nanoseconds: 0)

    /// The time between two rounds, in nanoseconds.
    private static let roundInterval: Int64 = 250_000_000
    /// The same while no path is multicast. A path may become multicast at any time.
    private static let idleRoundInterval: Int64 = 1_000_000_000

    init(
        _ place: LoopPlace, _ context: ServerContext, requests: Mailbox<GroupRequest>, usesGSO: Bool, log: ServiceLog
    ) {
        self.place = place
        self.context = context
        self.requests = requests
        self.usesGSO = usesGSO
        self.log = log
    }

    /// Handles what the loops have asked since the last turn, and retries groups with a full socket.
    func receiveRequests(at now: MonotonicTime) {
        for request in requests.take() {
            switch request {
            case .join(let join, let answer):
                answer.put(
                    .joined(join, add(to: join.key, join.entry, join.track, join.isNewMember, at: now)))
            case .play(let play, let answer): answer.put(.playing(play, send(play.key, at: now)))
            case .leave(let key):
                if let viewer = groups.leave(key) { place.delivery.end(viewer, at: now) }
            }
        }
        groups.retry()
    }

    /// Starts groups that are always sent, and groups that lost their feed while they have members.
    ///
    /// - Returns: when to check again.
    func startRequired(at now: MonotonicTime) -> MonotonicTime {
        let retry = groups.nextTry(after: now)
        guard now >= nextRound else { return min(nextRound, retry) }
        nextRound = now + Self.idleRoundInterval
        for path in context.directory.paths {
            guard let entry = context.directory.entry(at: path) else { continue }
            for encapsulation in [RTPEncapsulation.tracks, .transportStream] {
                startIfRequired(entry, encapsulation, at: now)
            }
        }
        return min(nextRound, retry)
    }

    private func startIfRequired(
        _ entry: PathDirectory.Entry, _ encapsulation: RTPEncapsulation, at now: MonotonicTime
    ) {
        guard let options = entry.options.multicast(of: encapsulation) else { return }
        nextRound = now + Self.roundInterval
        let key = GroupKey(stream: entry.stream, encapsulation: encapsulation)
        let isWanted = options.isAlwaysOn || groups.isOrphaned(key)
        guard isWanted, groups.group(key)?.isSending != true, entry.stream.announcement != nil,
            !entry.stream.hasEnded
        else { return }
        if case .success = add(to: key, entry, nil, false, at: now) { _ = send(key, at: now) }
    }

    /// Opens the group if necessary, and adds a member.
    private func add(
        to key: GroupKey, _ entry: PathDirectory.Entry, _ track: Track?, _ isNewMember: Bool, at now: MonotonicTime
    ) -> Result<Membership, Refusal> {
        // The current options of the path, which may have changed since the request.
        guard let options = context.directory.options(of: entry.stream)?.multicast(of: key.encapsulation),
            let tracks = entry.stream.announcement?.tracks
        else { return .failure(Refusal(.unsupportedTransport)) }
        do {
            let group = try groups.open(
                key, tracks: tracks, options: options, numbers: &numbers, canonicalName: context.canonicalName,
                usesGSO: usesGSO, at: now)
            let id = track?.id ?? TrackID(0)
            guard id.index < group.viewer.tracks.count, let viewerTrack = group.viewer.tracks[id.index] else {
                return .failure(Refusal(.notFound))
            }
            if isNewMember { groups.add(toMembersOf: key) }
            return .success(
                Membership(
                    group: options.group, ports: RTSP.PortPair(of: id, from: options.port),
                    timeToLive: options.timeToLive, ssrc: viewerTrack.rewriter.ssrc.rawValue))
        } catch {
            log.groupRefused(at: entry.stream.path, error, at: now)
            return .failure(Refusal(.unsupportedTransport))
        }
    }

    /// Starts the group. If it is being sent already, sends reports and requests a keyframe for the new member.
    ///
    /// - Returns: nothing if it cannot be sent now. It will be sent as soon as its stream is available.
    private func send(_ key: GroupKey, at now: MonotonicTime) -> [FirstPacket] {
        guard let group = groups.group(key), let entry = context.directory.entry(at: key.stream.path),
            entry.stream === key.stream
        else {
            groups.missed(key)
            return []
        }
        let delivery = place.delivery
        if group.isSending {
            delivery.report(to: group.viewer, at: now)
            delivery.requestKeyframe(for: group.viewer, at: now)
            return delivery.firstPackets(of: group.viewer).map(\.withoutTimestamp)
        }
        var join = entry.options.join
        join.mode = .keyframe
        guard delivery.join(group.viewer, stream: entry.stream, options: join, at: now) else {
            groups.missed(key)
            return []
        }
        groups.startedSending(key)
        let first = delivery.firstPackets(of: group.viewer).map(\.withoutTimestamp)
        delivery.start(group.viewer, at: now)
        return first
    }

    /// Delivery has given up a viewer.
    ///
    /// - Returns: false if the viewer is no group.
    func deliveryEnded(_ viewer: Viewer, at now: MonotonicTime) -> Bool {
        guard groups.ended(viewer) else { return false }
        place.delivery.end(viewer, at: now)
        return true
    }

    /// Closes the groups of a stream, even if they have members.
    func close(_ stream: Streams.Stream, at now: MonotonicTime) {
        for viewer in groups.close(stream) { place.delivery.end(viewer, at: now) }
    }

    /// Closes all groups, because the loop stops.
    func closeAll(at now: MonotonicTime) {
        nextRound = .distantFuture
        for viewer in groups.removeAll() { place.delivery.end(viewer, at: now) }
    }

    /// Whether the group exists.
    func hasGroup(_ key: GroupKey) -> Bool { groups.group(key) != nil }
}

extension FirstPacket {
    /// Of a group the next number is known, but not which unit a member receives first.
    fileprivate var withoutTimestamp: FirstPacket {
        var copy = self
        copy.timestamp = nil
        return copy
    }
}
