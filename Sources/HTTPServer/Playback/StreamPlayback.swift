import HLS
import Media
import NIOCore
import Reactor
import Streams

/// The renditions of one stream, and the requests that wait for them. Confined to the event loop.
///
/// All qualities begin with the first request for one of them, and end half a minute after the last. A request for what is not there
/// yet waits until the part that it names is finished.
final class StreamPlayback {
    let path: LivePath
    let context: ServerContext
    private let loop: any NIOCore.EventLoop
    private(set) var renditions: [PlaylistName: Rendition] = [:]
    private var waiting: [PlaybackRequest] = []
    private var isTicking = false
    private var lastLook = MonotonicTime.now()
    private var hasEnded = false

    /// The time between two looks at the renditions, in milliseconds.
    private static let tickMilliseconds: Int64 = 50
    /// The time between two looks at what waits though nothing is new, and at players that ask for nothing, in nanoseconds.
    private static let lookNanoseconds: Int64 = 200_000_000
    /// Requests of one stream that wait. With HTTP/1.1 each needs a connection, of which there are fewer.
    private static let maximumWaiting = 16_384

    init(_ path: LivePath, on loop: any NIOCore.EventLoop, _ context: ServerContext) {
        (self.path, self.loop, self.context) = (path, loop, context)
    }

    // MARK: Requests

    /// Answers a request, now or later.
    func ask(_ request: PlaybackRequest) {
        guard !hasEnded else {
            // It has ended since the request was passed to this event loop.
            return request.exchange.refuse(Problem(.serviceUnavailable, "the stream begins anew", retryAfter: 1))
        }
        let now = MonotonicTime.now()
        prepare(request.question, at: now)
        tick()
        if let response = answer(request, at: now) { return request.exchange.respond(response) }
        guard waiting.count < Self.maximumWaiting else {
            return request.exchange.refuse(Problem(.serviceUnavailable, "too many requests wait", retryAfter: 1))
        }
        waiting.append(request)
    }

    /// Makes the renditions that a request is for.
    private func prepare(_ question: PlaybackRequest.Question, at now: MonotonicTime) {
        switch question {
        case .qualities(let content, _): for name in names(of: content) { use(name, at: now) }
        // A player may change to another quality at any time. If its encoder had to start then, the player would stall.
        case .playlist(let name, _): for name in names(of: name.content) { use(name, at: now) }
        case .media(let name): rendition(ofRun: name.run)?.lastUse = now
        }
    }

    private func use(_ name: PlaylistName, at now: MonotonicTime) {
        if renditions[name] == nil, let stream = stream(of: name) {
            let waker = RenditionWaker(loop, NIOLoopBound(self, eventLoop: loop), name)
            let fresh = Rendition(
                name, of: stream, context.options.playback, context.playbacks.memory, waker: waker, at: now)
            renditions[name] = fresh
            update(fresh, at: now)
        }
        renditions[name]?.lastUse = now
    }

    private func stream(of name: PlaylistName) -> Streams.Stream? {
        guard name.index > 0 else { return path.stream }
        let substreams = context.services.substreams(of: path.stream.path)
        return name.content == .audio || name.index > substreams.count ? nil : substreams[name.index - 1].stream
    }

    /// The playlists of all qualities with this content.
    func names(of content: PlaylistName.Content) -> [PlaylistName] {
        // The audio of substreams is that of their stream.
        let count = content == .audio ? 0 : context.services.substreams(of: path.stream.path).count
        return (0...count).map { PlaylistName(content, $0) }
    }

    func rendition(ofRun run: String) -> Rendition? { renditions.values.first { $0.run == run } }

    // MARK: Media

    /// There is something new in the feed of a rendition.
    func turn(_ name: PlaylistName) {
        guard let rendition = renditions[name] else { return }
        let now = MonotonicTime.now()
        if update(rendition, at: now) { answerWaiting(at: now) }
    }

    @discardableResult
    private func update(_ rendition: Rendition, at now: MonotonicTime) -> Bool {
        if !rendition.isFollowing { rendition.follow() }
        if rendition.isFollowing, rendition.segmenter == nil, let seconds = minimumTargetSeconds(of: rendition.name) {
            rendition.begin(minimumTargetSeconds: seconds)
        }
        return rendition.update(at: now)
    }

    /// The least target duration of a quality; `nil` as long as it is not known. Players change between qualities, so all of them have that
    /// of the stream itself.
    private func minimumTargetSeconds(of name: PlaylistName) -> Int? {
        name.index == 0 ? 1 : renditions[PlaylistName(name.content, 0)]?.segmenter?.timing?.targetSeconds
    }

    private func answerWaiting(at now: MonotonicTime) {
        let asked = waiting
        waiting = []
        for request in asked {
            if let response = answer(request, at: now) {
                request.exchange.respond(response)
            } else {
                waiting.append(request)
            }
        }
    }

    /// Looks again after a while, as long as there are renditions.
    private func tick() {
        guard !isTicking, !hasEnded else { return }
        isTicking = true
        loop.assumeIsolated().scheduleTask(in: .milliseconds(Self.tickMilliseconds)) { [self] in
            isTicking = false
            tickPassed()
        }
    }

    private func tickPassed() {
        guard !hasEnded else { return }
        let now = MonotonicTime.now()
        var isNew = false
        for rendition in renditions.values where update(rendition, at: now) { isNew = true }
        let isDue = now - lastLook >= Self.lookNanoseconds
        if isNew || isDue { answerWaiting(at: now) }
        let idle = context.options.playback.idleMilliseconds * 1_000_000
        for (name, rendition) in renditions where now - rendition.lastUse > idle {
            rendition.stop()
            renditions[name] = nil
        }
        if isDue {
            lastLook = now
            context.playbacks.sessions.expire(of: path.stream, at: now, context)
        }
        if renditions.isEmpty, waiting.isEmpty {
            end()
        } else {
            tick()
        }
    }

    /// Ends it: the stream is no longer served, or no client asks any more.
    func end() {
        guard !hasEnded else { return }
        hasEnded = true
        for rendition in renditions.values { rendition.stop() }
        renditions = [:]
        let problem = LiveEnd.streamRemoved.problem
        for request in waiting { request.exchange.refuse(problem) }
        waiting = []
        context.playbacks.ended(self)
    }
}

/// A request for something of a stream's playback.
struct PlaybackRequest {
    enum Question {
        /// The qualities with this content, for the session of this label.
        case qualities(PlaylistName.Content, label: String)
        case playlist(PlaylistName, ReloadDirectives)
        case media(ResourceName)
    }

    let question: Question
    let request: Request
    let exchange: Exchange
    /// When it was asked.
    let since: MonotonicTime
}
