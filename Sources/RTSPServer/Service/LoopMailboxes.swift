import Delivery
import Reactor

/// The mailboxes of one loop's RTSP service. Thread-safe.
struct LoopMailboxes: Sendable {
    let inbox: Inbox
    let decisions: Mailbox<ExternalDecisions.Decided>
    let groupAnswers: Mailbox<GroupAnswer>
    let publicationEndings: Mailbox<PublicationEnding>
    let createdPaths: Mailbox<CreatedPath>

    init(waking loop: EventLoop) {
        inbox = Inbox(waking: loop)
        decisions = Mailbox(waking: loop)
        groupAnswers = Mailbox(waking: loop)
        publicationEndings = Mailbox(waking: loop)
        createdPaths = Mailbox(waking: loop)
    }
}

/// The mailbox of the home of the multicast groups, as one loop sees it. Thread-safe.
struct HomeMailbox: Sendable {
    let requests: Mailbox<GroupRequest>
    /// Whether the home is on this loop.
    let isHere: Bool
}
