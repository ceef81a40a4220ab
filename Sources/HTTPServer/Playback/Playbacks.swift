import Media
import NIOCore
import Streams
import Synchronization

/// The playback of all streams. Thread-safe.
final class Playbacks: Sendable {
    private struct Place {
        let loop: any EventLoop
        let playback: NIOLoopBound<StreamPlayback>
    }

    let memory: PlaybackMemory
    let sessions: PlaybackSessions
    private let places = Mutex<[ObjectIdentifier: Place]>([:])

    init(_ options: PlaybackOptions) {
        memory = PlaybackMemory(maximumByteCount: options.totalByteCount)
        sessions = PlaybackSessions(options)
    }

    /// Answers a request by the playback of a stream, which begins on `loop` if there is none. It is called on that event loop.
    func ask(
        _ question: PlaybackRequest.Question, of path: LivePath, _ request: Request, _ exchange: Exchange,
        on loop: any EventLoop, _ context: ServerContext
    ) {
        let place = places.withLock { places in
            let id = ObjectIdentifier(path.stream)
            if let place = places[id] { return place }
            let fresh = StreamPlayback(path, on: loop, context)
            let place = Place(loop: loop, playback: NIOLoopBound(fresh, eventLoop: loop))
            places[id] = place
            return place
        }
        let since = MonotonicTime.now()
        @Sendable func ask() {
            place.playback.value.ask(
                PlaybackRequest(question: question, request: request, exchange: exchange, since: since))
        }
        if place.loop.inEventLoop { ask() } else { place.loop.execute(ask) }
    }

    /// Forgets a playback that has ended.
    func ended(_ playback: StreamPlayback) {
        places.withLock { places in
            let id = ObjectIdentifier(playback.path.stream)
            if places[id]?.playback.value === playback { places[id] = nil }
        }
    }

    /// Ends the playback of a stream that is no longer served.
    func end(_ stream: Streams.Stream) async {
        guard let place = places.withLock({ $0[ObjectIdentifier(stream)] }) else { return }
        // A loop that has ended has no playback either.
        _ = try? await place.loop.submit { place.playback.value.end() }.get()
    }

    /// Ends all of them, because the server stops.
    func stop() async {
        for place in places.withLock({ Array($0.values) }) {
            _ = try? await place.loop.submit { place.playback.value.end() }.get()
        }
    }
}
