import Media
import RTP
import RTSP

/// Answers SETUP over multicast, once the home of the groups has answered. Confined to the loop.
struct MulticastSetup {
    let directory: PathDirectory
    let registry: Registry
    let sessions: Sessions

    /// - Parameter connection: `nil` if it has closed meanwhile.
    /// - Returns: `nil` if nothing waits for the answer any more: the request was refused or its session withdrawn meanwhile.
    func answer(
        _ join: GroupJoin, _ membership: Result<Membership, Refusal>, on connection: Connection?, at now: MonotonicTime
    ) -> Result<SetUpAnswer, Refusal>? {
        let existing = join.request.session.flatMap { connection?.sessions[$0] }
        let isAwaited = connection?.machine.awaits(join.id) == true && (join.isNewMember || existing != nil)
        guard let connection, isAwaited else {
            if case .success = membership { leave(join) }
            return nil
        }
        return membership.flatMap { membership in
            let options = directory.options(of: join.entry.stream)?.multicast(of: join.request.encapsulation)
            guard options?.group == membership.group else {
                leave(join)
                return .failure(Refusal(.unsupportedTransport))
            }
            guard let session = existing ?? newSession(for: join, on: connection, at: now) else {
                leave(join)
                return .failure(Refusal(.notEnoughBandwidth))
            }
            session.tracks[join.request.track] = join.track?.id ?? TrackID(0)
            return .success(
                SetUpAnswer(
                    .multicast(
                        group: membership.group, ports: membership.ports, timeToLive: membership.timeToLive,
                        ssrc: membership.ssrc, profile: join.profile),
                    freshSession: session.id, streamID: join.track == nil ? registry.nextStreamID() : nil))
        }
    }

    private func newSession(for join: GroupJoin, on connection: Connection, at now: MonotonicTime) -> ViewerSession? {
        sessions.make(
            for: join.entry, tracks: join.entry.stream.announcement?.tracks ?? [],
            encapsulation: join.request.encapsulation, user: join.request.grant.user, over: .multicast,
            on: connection, at: now)
    }

    /// Gives the membership back, if the SETUP would have made a new one.
    private func leave(_ join: GroupJoin) {
        if join.isNewMember { sessions.groups.leave(join.key) }
    }
}

extension GroupJoin {
    /// The profile that the client asks for. Members of a group may send feedback, but nothing is sent again to a group.
    fileprivate var profile: MediaProfile {
        for case .multicast(let profile) in request.offers { return profile }
        return .plain
    }
}
