import Media
import Synchronization

/// One packager attached to one stream: it runs once per stream, however many viewers there are, into a ring of outputs.
public final class Feed<P: Packager>: Sendable {
    private struct State: ~Copyable {
        var packager: P
        var ring: Ring<P.Output>
        var wakers: [ObjectIdentifier: any Waker] = [:]
        var hasEnded = false
    }

    private let state: Mutex<State>
    /// The tracks that the packager was made for.
    public let tracks: [Track]

    /// Made by `Stream.feed`, under the stream's lock, with the stream's history.
    init(tracks: [Track], options: P.Options, history: [AccessUnit], bounds: Ring<P.Output>.Bounds) {
        self.tracks = tracks
        state = Mutex(State(packager: P(tracks: tracks, options: options), ring: Ring(bounds: bounds)))
        for unit in history { append(unit) }
    }

    /// Adds the outputs since `reader` last looked to it. One lock per call: a loop calls it once per wake-up.
    public func update(_ reader: inout FeedReader<P.Output>) {
        state.withLock { state in
            reader.update(from: state.ring, hasEnded: state.hasEnded)
        }
    }

    /// Index that the next output will get.
    public var endIndex: Int64 { state.withLock { $0.ring.endIndex } }

    /// From now on every append wakes this loop.
    public func attach(_ waker: any Waker) {
        state.withLock { $0.wakers[ObjectIdentifier(waker)] = waker }
    }

    /// The loop has no viewer any more.
    public func detach(_ waker: any Waker) {
        state.withLock { _ = $0.wakers.removeValue(forKey: ObjectIdentifier(waker)) }
    }
}

extension Feed: AnyFeed {
    var isAttached: Bool { state.withLock { !$0.wakers.isEmpty } }

    func append(_ unit: AccessUnit) {
        state.withLock { state in
            guard let output = state.packager.package(unit) else { return }
            state.ring.append(
                output, nanoseconds: output.presentationTime.nanoseconds, byteCount: output.byteCount)
        }
    }

    func end() {
        state.withLock { $0.hasEnded = true }
    }

    func wake() {
        state.withLock { state in
            for waker in state.wakers.values { waker.wake() }
        }
    }
}

/// A feed whatever its packager: what a stream does with all of them.
protocol AnyFeed: AnyObject, Sendable {
    /// Whether any loop reads it.
    var isAttached: Bool { get }
    func append(_ unit: AccessUnit)
    /// The stream's tracks are others now: viewers of this feed cannot go on.
    func end()
    func wake()
}
