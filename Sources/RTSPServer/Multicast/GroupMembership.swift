import Delivery
import Media
import RTP
import RTSP
import Reactor

/// A message to the loop that sends to the multicast groups, the *home* of the groups.
enum GroupRequest: Sendable {
    case join(GroupJoin, answer: Mailbox<GroupAnswer>)
    case play(GroupPlay, answer: Mailbox<GroupAnswer>)
    case leave(GroupKey)
}

/// The home's answer, to the loop of the member's connection.
enum GroupAnswer: Sendable {
    case joined(GroupJoin, Result<Membership, Refusal>)
    case playing(GroupPlay, [FirstPacket])
}

/// A SETUP over multicast.
struct GroupJoin: Sendable {
    let connection: Token
    let id: RequestID
    let request: SetUpRequest
    let entry: PathDirectory.Entry
    /// `nil` if all tracks are sent as one.
    let track: Track?

    /// Whether it makes a new session, which becomes a new member.
    var isNewMember: Bool { request.session == nil }

    var key: GroupKey { GroupKey(stream: entry.stream, encapsulation: request.encapsulation) }
}

/// A PLAY of a session over multicast.
struct GroupPlay: Sendable {
    let connection: Token
    let id: RequestID
    let request: PlayRequest
    let key: GroupKey
}

/// What a member is told about its group.
struct Membership: Sendable {
    let group: String
    let ports: RTSP.PortPair
    let timeToLive: UInt8
    let ssrc: UInt32
}

/// The members' side of multicast: asks the home of the groups, and receives its answers. Confined to the loop.
final class GroupMembership {
    private let home: Mailbox<GroupRequest>
    private let answers: Mailbox<GroupAnswer>

    /// - Parameter loop: the loop of the members' connections.
    init(home: Mailbox<GroupRequest>, of loop: Mailbox<GroupAnswer>) {
        self.home = home
        answers = loop
    }

    /// Asks for a membership. The answer comes in a later turn.
    func join(_ join: GroupJoin) { home.put(.join(join, answer: answers)) }

    /// Asks that the group be sent. The answer comes in a later turn.
    func play(_ play: GroupPlay) { home.put(.play(play, answer: answers)) }

    /// Gives up one membership.
    func leave(_ key: GroupKey) { home.put(.leave(key)) }

    /// The answers since the last call.
    func takeAnswers() -> [GroupAnswer] { answers.take() }
}
