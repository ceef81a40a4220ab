import Delivery
import Dispatch
import Media
import RTP
import RTSP
import Reactor
import SDP
import Streams
import Synchronization

/// A path to which clients publish: at most one at a time. Thread-safe.
///
/// The stream keeps its viewers while publishers come and go. A publisher is admitted at ANNOUNCE, so that its user sees the reason of a
/// refusal, and begins at RECORD.
public final class PublishingPoint: Sendable {
    /// Which publisher may take over the path from another.
    public enum Override: String, CaseIterable, Hashable, Sendable {
        /// The same user, or without users the same host: a phone that roams leaves a dead connection behind.
        case sameUser
        case always
        case never
    }

    /// A client that publishes or wants to.
    public struct Publisher: Hashable, Sendable {
        /// `nil` if clients need not authenticate.
        public let user: String?
        /// The address of its RTSP connection.
        public let peer: SocketAddress
        public let userAgent: String?

        func isSame(as other: Self) -> Bool { user == other.user && (user != nil || peer.host == other.peer.host) }
    }

    private struct State {
        var override: Override
        var endObserver: (@Sendable () -> Void)?
        var current: Publication?
        var texts = PublishedTexts()
        /// Publications that have ended.
        var endCount = 0
        /// The reason for which the last publication ended.
        var lastEnd: String?
        var isClosed = false
    }

    public let stream: Streams.Stream
    /// Whether publishers' time of day is believed.
    let trust: SenderClockTrust
    /// Encodes what viewers cannot receive.
    let transcoding: (any InputTranscoding)?
    private let state: Mutex<State>
    /// Signalled when a publication ends, and by ``close()``.
    private let bell = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - trust: whether publishers' time of day is believed.
    ///   - transcoding: encodes the tracks that viewers cannot receive; without it, these are not published.
    public init(
        into stream: Streams.Stream, override: Override = .sameUser, trust: SenderClockTrust = .auto,
        transcoding: (any InputTranscoding)? = nil
    ) {
        (self.stream, self.trust, self.transcoding) = (stream, trust, transcoding)
        state = Mutex(State(override: override))
    }

    /// The client that publishes now; `nil` if there is none.
    public var publisher: Publisher? { state.withLock { $0.current?.publisher } }

    /// The client that publishes now, by which transport its media comes, and what is received; `nil` if there is none.
    public var input: (publisher: Publisher, transport: String, reception: ReceptionStatus?)? {
        state.withLock(\.current).map { ($0.publisher, $0.transport, $0.input.status) }
    }

    /// What the last publisher has said about the stream.
    var texts: PublishedTexts { state.withLock { $0.texts } }

    /// Sets the closure that is called when a publication has ended, on the thread of its loop.
    public func observeEnd(_ observer: @escaping @Sendable () -> Void) {
        state.withLock { $0.endObserver = observer }
    }

    /// Which publisher may take over from another from now on.
    public func setOverride(_ override: Override) {
        state.withLock { $0.override = override }
    }

    /// Why this client may not publish now; `nil` if it may.
    func refusal(of publisher: Publisher) -> Refusal? {
        state.withLock { Self.refusal(of: publisher, $0) }
    }

    private static func refusal(of publisher: Publisher, _ state: State) -> Refusal? {
        guard let current = state.current?.publisher else { return nil }
        let mayTakeOver =
            switch state.override {
            case .sameUser: publisher.isSame(as: current)
            case .always: true
            case .never: false
            }
        return mayTakeOver ? nil : Refusal(.forbidden, reason: "Published by \(current.peer.host)")
    }

    /// Begins a publication, and ends the one of another publisher.
    func begin(_ publication: Publication) throws(Refusal) {
        let former = try state.withLock { (state) throws(Refusal) -> Publication? in
            if state.isClosed { throw Refusal(.notFound) }
            if let refusal = Self.refusal(of: publication.publisher, state) { throw refusal }
            let former = state.current
            state.current = publication
            state.texts = publication.texts
            return former
        }
        former?.end(.takenOver(by: publication.publisher.peer.host))
    }

    /// A publication has ended. Without effect if another has taken over.
    func ended(_ publication: Publication, because reason: String) {
        publication.input.close()
        let isCurrent = state.withLock { state in
            guard state.current === publication else { return false }
            state.current = nil
            state.endCount += 1
            state.lastEnd = reason
            return true
        }
        guard isCurrent else { return }
        bell.signal()
        state.withLock { $0.endObserver }?()
    }

    /// Waits until a publication ends after which no other has begun, or until ``close()``. Blocks.
    ///
    /// - Returns: whether a publication has ended.
    public func waitForEnd() -> Bool {
        let count = state.withLock { $0.endCount }
        while true {
            let (ends, isClosed) = state.withLock { ($0.endCount, $0.isClosed) }
            if isClosed { return false }
            if ends != count { return true }
            bell.wait()
        }
    }

    /// Ends the present publication, and admits no other until ``open()``.
    public func close() {
        let current = state.withLock { state in
            state.isClosed = true
            return state.current
        }
        current?.end(.stream)
        bell.signal()
    }

    /// Admits publishers again.
    public func open() {
        state.withLock { $0.isClosed = false }
    }
}

/// What a publisher says about its stream in the session description.
struct PublishedTexts: Hashable, Sendable {
    /// The `s=` line; `nil` if it says nothing.
    var title: String?
    /// The `i=` line; `nil` if it says nothing.
    var information: String?

    init() {}

    init(_ description: SessionDescription) {
        title = Self.usable(description.name)
        information = description.information.flatMap(Self.usable)
    }

    /// Bytes of a text: more than any player shows.
    private static let byteLimit = 200
    /// What libavformat, live555 and RootEncoder write if their users have set nothing.
    private static let placeholders: Set<String> = ["", "-", "No Name", "Unnamed", "N/A"]

    /// The text without control characters, cut to the limit at a character; `nil` for a placeholder.
    private static func usable(_ text: String) -> String? {
        var result = ""
        for character in text where !character.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
            guard result.utf8.count + character.utf8.count <= byteLimit else { break }
            result.append(character)
        }
        let trimmed = result.drop { $0 == " " }
        return placeholders.contains(String(trimmed)) ? nil : String(trimmed)
    }
}

/// One client's publication of a stream, from RECORD to its end. Thread-safe.
final class Publication: Sendable {
    let publisher: PublishingPoint.Publisher
    /// As `apus status` names it.
    let transport: String
    let texts: PublishedTexts
    let input: StreamInput
    private let session: SessionID
    private let connection: Token
    private let endings: Mailbox<PublicationEnding>

    /// - Parameter endings: the mailbox of the loop of the publisher's connection.
    init(
        _ publisher: PublishingPoint.Publisher, over transport: String, _ texts: PublishedTexts,
        at point: PublishingPoint, session: SessionID, on connection: Token, endings: Mailbox<PublicationEnding>
    ) {
        (self.publisher, self.transport, self.texts) = (publisher, transport, texts)
        input = StreamInput(into: point.stream, trust: point.trust, transcoding: point.transcoding)
        (self.session, self.connection, self.endings) = (session, connection, endings)
    }

    /// The publisher, as events describe it.
    var eventClient: StreamEvent.Client {
        StreamEvent.Client(
            peer: "\(publisher.peer)", name: publisher.userAgent, transport: transport, user: publisher.user)
    }

    /// Ends it from any thread: the stream gets nothing more, and its loop closes the connection.
    func end(_ withdrawal: Withdrawal) {
        input.close()
        endings.put(PublicationEnding(connection: connection, session: session, withdrawal: withdrawal))
    }
}

/// The end of a publication that another thread orders.
struct PublicationEnding: Sendable {
    let connection: Token
    let session: SessionID
    let withdrawal: Withdrawal
}
