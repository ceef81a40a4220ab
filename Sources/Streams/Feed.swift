import Media
import Synchronization

/// One packager attached to one stream: it runs once per stream, however many viewers there are, into a ring of outputs.
public final class Feed<P: Packager>: Sendable {
    private struct State: ~Copyable {
        var packager: P
        var ring: Ring<P.Output>
        /// Of the loops that read it.
        var wakers: [any Waker] = []
        /// Media time of the first unit that no loop was there for, in nanoseconds.
        var idleSince: Int64?
        var hasEnded = false
    }

    private let state: Mutex<State>
    /// The tracks that the packager was made for.
    public let tracks: [Track]
    /// What viewers are sent while the source is silent.
    public let filler: P.Output?

    /// Made by `Stream.feed`, under the stream's lock, with the stream's history.
    init(tracks: [Track], options: P.Options, history: [AccessUnit], bounds: Ring<P.Output>.Bounds) {
        self.tracks = tracks
        filler = P.filler(options)
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

    /// The same, and the packager as it is before it makes that output.
    var front: (index: Int64, packager: P) { state.withLock { ($0.ring.endIndex, $0.packager) } }

    /// The loop has no viewer any more.
    public func detach(_ waker: any Waker) {
        state.withLock { $0.wakers.removeAll { $0 === waker } }
    }

    /// How long a feed that no loop reads goes on, in nanoseconds: who pauses and plays again finds it, and nobody can have
    /// the history packaged more often than that.
    private static var patience: Int64 { 1_000_000_000 }
}

extension Feed: AnyFeed {
    /// From now on every append wakes this loop.
    func attach(_ waker: any Waker) {
        state.withLock { state in
            state.idleSince = nil
            if !state.wakers.contains(where: { $0 === waker }) { state.wakers.append(waker) }
        }
    }

    func isWanted(at nanoseconds: Int64) -> Bool {
        state.withLock { state in
            guard state.wakers.isEmpty else { return true }
            guard let idleSince = state.idleSince else {
                state.idleSince = nanoseconds
                return true
            }
            // A source that starts again may go back in time: that is as good as a second.
            return (0..<Self.patience).contains(nanoseconds &- idleSince)
        }
    }

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
        // A wake-up is a system call: loops that look to the feed meanwhile need not wait for it.
        let wakers = state.withLock { $0.wakers }
        for waker in wakers { waker.wake() }
    }
}

/// A feed whatever its packager: what a stream does with all of them.
protocol AnyFeed: AnyObject, Sendable {
    /// Whether a loop reads it, or has until less than a second of media ago; `nanoseconds` is the newest unit's time.
    func isWanted(at nanoseconds: Int64) -> Bool
    func append(_ unit: AccessUnit)
    /// The stream's tracks are others now: viewers of this feed cannot go on.
    func end()
    func wake()
}
