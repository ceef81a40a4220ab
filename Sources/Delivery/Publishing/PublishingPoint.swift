import Dispatch
import Media
import RTP
import Reactor
import Streams
import Synchronization

/// A path to which clients publish: at most one at a time. Thread-safe.
///
/// The stream keeps its viewers while publishers come and go. A publisher asks (``refusal(of:)``) before it begins (``begin(_:)``), so
/// that its user sees the reason of a refusal.
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
        /// The address of its connection.
        public let peer: SocketAddress
        public let userAgent: String?

        public init(user: String?, peer: SocketAddress, userAgent: String?) {
            (self.user, self.peer, self.userAgent) = (user, peer, userAgent)
        }

        func isSame(as other: Self) -> Bool { user == other.user && (user != nil || peer.host == other.peer.host) }
    }

    /// Why a client may not publish.
    public enum Refusal: Error, Hashable {
        /// The client at this host publishes.
        case publishedBy(String)
        /// The path has been removed.
        case closed
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
    /// Where the video tracks of publishers beside the main one go.
    private let tracks: TrackDirectory
    private let state: Mutex<State>
    /// Signalled when a publication ends, and by ``close()``.
    private let bell = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - trust: whether publishers' time of day is believed.
    ///   - transcoding: encodes the tracks that viewers cannot receive; without it, these are not published.
    ///   - tracks: where the video tracks of publishers beside the main one go.
    public init(
        into stream: Streams.Stream, override: Override = .sameUser, trust: SenderClockTrust = .auto,
        transcoding: (any InputTranscoding)? = nil, tracks: TrackDirectory = TrackDirectory()
    ) {
        (self.stream, self.trust, self.transcoding, self.tracks) = (stream, trust, transcoding, tracks)
        state = Mutex(State(override: override))
    }

    /// The client that publishes now; `nil` if there is none.
    public var publisher: Publisher? { state.withLock { $0.current?.publisher } }

    /// The client that publishes now, by which transport its media comes, and what is received; `nil` if there is none.
    public var input: (publisher: Publisher, transport: String, reception: ReceptionStatus?)? {
        state.withLock(\.current).map { ($0.publisher, $0.transport, $0.input.status) }
    }

    /// What the last publisher has said about the stream.
    public var texts: PublishedTexts { state.withLock { $0.texts } }

    /// Asks the present publisher for a keyframe, if it takes such requests.
    public func requestKeyframe() { state.withLock(\.current)?.requestKeyframe?() }

    /// Sets the closure that is called when a publication has ended, on the thread of its loop.
    public func observeEnd(_ observer: @escaping @Sendable () -> Void) {
        state.withLock { $0.endObserver = observer }
    }

    /// Which publisher may take over from another from now on.
    public func setOverride(_ override: Override) {
        state.withLock { $0.override = override }
    }

    /// Why this client may not publish now; `nil` if it may.
    public func refusal(of publisher: Publisher) -> Refusal? {
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
        return mayTakeOver ? nil : .publishedBy(current.peer.host)
    }

    /// Begins a publication, and ends the one of another publisher.
    public func begin(_ publication: Publication) throws(Refusal) {
        let former = try state.withLock { (state) throws(Refusal) -> Publication? in
            if state.isClosed { throw .closed }
            if let refusal = Self.refusal(of: publication.publisher, state) { throw refusal }
            let former = state.current
            state.current = publication
            state.texts = publication.texts
            return former
        }
        former?.end(.takenOver(by: publication.publisher.peer.host))
    }

    /// The input of the path that has a video track of this publication beside the main one; `nil` if no path has it, or if the publication
    /// has ended. The publication begins there, too. The right to publish this path suffices, because the configuration joins the two paths.
    public func input(of number: TrackNumber, in publication: Publication) -> StreamInput? {
        state.withLock { state in
            guard state.current === publication,
                let point = tracks.point(at: TrackDirectory.Key(path: stream.path, number: number))
            else { return nil }
            return publication.further.input(of: number, at: point, for: publication)
        }
    }

    /// A publisher says something about its stream after it has begun. Without effect if another has taken over.
    public func describe(_ publication: Publication, as texts: PublishedTexts) {
        state.withLock { if $0.current === publication { $0.texts = texts } }
    }

    /// A publication has ended. Without effect if another has taken over.
    public func ended(_ publication: Publication, because reason: String) {
        publication.input.close()
        publication.further.ended(because: reason)
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
        current?.end(.streamRemoved)
        bell.signal()
    }

    /// Admits publishers again.
    public func open() {
        state.withLock { $0.isClosed = false }
    }
}
