import Media
import RTP
import SRTP
import Streams

/// The repair of one track of a viewer: what its packets carried, and which are sent again, because the client asks for them or
/// because it cannot ask. Confined to its loop.
public final class TrackRepair {
    /// An RTP stream of its own for retransmissions (RFC 4588).
    struct RetransmissionStream {
        /// Payload type, SSRC and next sequence number of the retransmissions.
        var rewriter: HeaderRewriter
        /// The index of the next packet, for SRTP.
        var packetIndex: UInt64
        let protection: OutgoingProtection?
    }

    /// How a client that cannot ask for lost packets is sent copies of them all.
    public enum Copies {
        /// Each packet twice in succession. Stock VLC (SAT>IP) takes what follows a gap at once, so that a later copy comes too late.
        case inSuccession
        /// The packets of each frame again behind the next frame, while the client reports losses. live555 waits 100 ms for them, and
        /// losses in bursts seldom hit both copies.
        case behindNextFrame
    }

    /// When requests are answered; `nil` if the client cannot ask.
    let rules: RetransmissionRules?
    let copies: Copies?
    /// Whether copies are sent behind the next frame now.
    var duplication: DuplicationSwitch?
    /// The packets of the run that was sent last, if copies may be sent behind the next one.
    private var previous: (run: SentLedger.RunPlace, first: SequenceNumber, count: Int)?
    /// Packets that were sent again in a stream of their own.
    private(set) var separatelyRepairedPackets: Int64?
    /// `nil` if lost packets are sent again as they were.
    var stream: RetransmissionStream?
    var ledger = SentLedger()
    /// Whether copies were sent. The client counts them as received, so that its reports hide losses.
    var hasSentCopies = false
    /// The packets that were asked for last, the oldest overwritten first: more than the budget allows in an interval.
    private var requests: [Request] = []
    private var oldest = 0
    private static let rememberedCount = 128

    /// A packet that the client has asked for.
    struct Request {
        let number: SequenceNumber
        let askedAt: MonotonicTime
        /// When it was sent again last; `nil` if it was not.
        var sentAt: MonotonicTime?
        /// How many requests for it were answered, with one packet or two.
        var answerCount = 0
    }

    /// Repairs by sending packets again as they were. Under SRTP they are the same bytes.
    public init(_ rules: RetransmissionRules) {
        self.rules = rules
        copies = nil
    }

    /// Repairs by copies that the client need not ask for.
    public init(_ copies: Copies) {
        rules = nil
        self.copies = copies
        if case .behindNextFrame = copies { duplication = DuplicationSwitch() }
    }

    /// Repairs by an RTP stream of its own.
    ///
    /// - Parameters:
    ///   - rewriter: the numbers of that stream.
    ///   - protection: the SRTP protection of its packets.
    public init(_ rules: RetransmissionRules, stream rewriter: HeaderRewriter, protection: OutgoingProtection?) {
        self.rules = rules
        copies = nil
        separatelyRepairedPackets = 0
        stream = RetransmissionStream(
            rewriter: rewriter, packetIndex: UInt64(rewriter.nextSequenceNumber.rawValue), protection: protection)
    }

    /// Whether copies may be due behind a frame.
    var maySendCopies: Bool { duplication != nil || stream != nil }

    /// Records packets of a viewer's next run that are handed to the kernel.
    ///
    /// - Parameter first: the sequence number of the first packet.
    func recordSent(
        _ range: Range<Int>, at follower: Follower<PacketRun>, first: SequenceNumber, _ now: MonotonicTime
    ) {
        ledger.record(first, count: range.count, of: Self.place(of: follower), from: range.lowerBound, at: now)
    }

    /// Where a viewer's next run is.
    static func place(of follower: Follower<PacketRun>) -> SentLedger.RunPlace {
        follower.isInFastStart ? .fastStart(follower.position.fastStart) : .feed(follower.position.index)
    }

    /// Notes that a run was sent whole. Copies of the run before it are due now.
    ///
    /// - Parameters:
    ///   - next: the sequence number after the run.
    ///   - count: the number of its packets.
    /// - Returns: the run before it; `nil` if there is none.
    func sentWhole(
        _ run: SentLedger.RunPlace, endingBefore next: SequenceNumber, count: Int
    ) -> (run: SentLedger.RunPlace, first: SequenceNumber, count: Int)? {
        defer { previous = (run, next.advanced(by: -count), count) }
        return previous
    }

    /// Forgets packets that the kernel did not take.
    func rollBack(_ packetCount: Int) {
        ledger.rollBack(packetCount)
        previous = nil
    }

    /// Forgets all packets, because their runs cannot be found any more.
    func forgetSentPackets() {
        ledger.removeAll()
        previous = nil
    }

    /// Notes the request for a packet.
    ///
    /// - Returns: whether the packet is asked for the first time. After the client's patience, another packet may have its number.
    func noteRequest(for number: SequenceNumber, at now: MonotonicTime) -> Bool {
        let patience = rules?.patience ?? 0
        if let index = index(of: number), now - requests[index].askedAt <= patience { return false }
        let request = Request(number: number, askedAt: now)
        if requests.count < Self.rememberedCount {
            requests.append(request)
        } else {
            requests[oldest] = request
            oldest = (oldest + 1) % Self.rememberedCount
        }
        return true
    }

    /// The request for a packet; `nil` if it was not noted, or is forgotten.
    func request(_ number: SequenceNumber) -> Request? { index(of: number).map { requests[$0] } }

    /// A packet that was asked for was sent again.
    func answered(_ number: SequenceNumber, at now: MonotonicTime) {
        guard let index = index(of: number) else { return }
        if requests[index].sentAt == nil { separatelyRepairedPackets? += 1 }
        requests[index].sentAt = now
        requests[index].answerCount += 1
    }

    /// The latest request for a packet.
    private func index(of number: SequenceNumber) -> Int? {
        var latest: Int?
        for index in requests.indices where requests[index].number == number {
            if latest.map({ requests[$0].askedAt < requests[index].askedAt }) ?? true { latest = index }
        }
        return latest
    }
}
