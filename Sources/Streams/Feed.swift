import Media
import Synchronization

/// One packager attached to one stream. It runs once per stream, however many viewers there are, and fills a ring of outputs.
public final class Feed<P: Packager>: Sendable {
    private struct State: ~Copyable {
        var packager: P
        var ring: Ring<P.Output>
        /// The loops that read this feed.
        var wakers: [any Waker] = []
        /// Media time of the first unit since no loop reads the feed, in nanoseconds.
        var idleSince: Int64?
        var hasEnded = false
    }

    /// Increases with each output and each announcement. It is read without the lock.
    private let changes = Atomic(0)
    private let state: Mutex<State>
    /// The tracks that the packager was created with.
    public let tracks: [Track]
    /// The output that viewers are sent while the source is silent.
    public let filler: P.Output?

    /// Created by `Stream.feed`, under the stream's lock, with the stream's history.
    init(tracks: [Track], options: P.Options, history: [AccessUnit], bounds: Ring<P.Output>.Bounds) {
        self.tracks = tracks
        filler = P.filler(options)
        state = Mutex(State(packager: P(tracks: tracks, options: options), ring: Ring(bounds: bounds)))
        for unit in history { append(unit) }
    }

    /// Whatever ``update(_:)`` reads has changed only if this number has. A loop compares it in each turn, because most turns are for other
    /// feeds.
    public var changeCount: Int { changes.load(ordering: .acquiring) }

    /// Adds the outputs since the last call to `reader`. It takes one lock: a loop calls it once per wake-up.
    public func update(_ reader: inout FeedReader<P.Output>) {
        state.withLock { state in
            reader.update(from: state.ring, hasEnded: state.hasEnded)
        }
    }

    /// The index of the next output.
    public var endIndex: Int64 { state.withLock { $0.ring.endIndex } }

    /// The index of the next output, and the packager in its state before that output.
    var front: (index: Int64, packager: P) { state.withLock { ($0.ring.endIndex, $0.packager) } }

    /// Removes a loop that has no viewer left.
    public func detach(_ waker: any Waker) {
        state.withLock { $0.wakers.removeAll { $0 === waker } }
    }

    /// How long a feed without readers continues, in nanoseconds. A client that pauses and plays again finds the same feed, and
    /// no client can have the history packaged more often than this.
    private static var idleTimeout: Int64 { 1_000_000_000 }
}

// MARK: - The stream's side

extension Feed {
    /// Wakes this loop at every append from now on.
    func attach(_ waker: any Waker) {
        state.withLock { state in
            state.idleSince = nil
            if !state.wakers.contains(where: { $0 === waker }) { state.wakers.append(waker) }
        }
    }

    /// Whether a loop reads the feed, or did less than a second of media time ago. `nanoseconds` is the time of the newest unit.
    func isNeeded(at nanoseconds: Int64) -> Bool {
        state.withLock { state in
            guard state.wakers.isEmpty else { return true }
            guard let idleSince = state.idleSince else {
                state.idleSince = nanoseconds
                return true
            }
            // A source that starts again may go back in time, which counts as a whole second.
            return (0..<Self.idleTimeout).contains(nanoseconds &- idleSince)
        }
    }

    /// Packages the unit, and appends the output.
    func append(_ unit: AccessUnit) {
        state.withLock { state in
            guard let output = state.packager.package(unit) else { return }
            state.ring.append(
                output, nanoseconds: output.presentationTime.nanoseconds, byteCount: output.byteCount)
            changes.add(1, ordering: .releasing)
        }
    }

    /// Continues with newly announced tracks. If the packager's viewers cannot continue, the feed has ended.
    ///
    /// - Returns: whether it continues.
    func announced(_ tracks: [Track], after former: [Track]) -> Bool {
        state.withLock { state in
            state.hasEnded = !state.packager.announced(tracks, after: former)
            changes.add(1, ordering: .releasing)
            return !state.hasEnded
        }
    }

    /// Wakes the loops that read the feed.
    func wake() {
        // A wake-up is a system call, so it happens without the lock.
        let wakers = state.withLock { $0.wakers }
        for waker in wakers { waker.wake() }
    }
}

/// A feed, whatever its packager.
///
/// Its operations are closures, made where the packager is known, because the compiler specialises closures, but not the methods by which a
/// generic class conforms to a protocol.
final class AnyFeed: Sendable {
    /// The `Feed<P>` itself.
    let feed: any AnyObject & Sendable
    let isNeeded: @Sendable (_ nanoseconds: Int64) -> Bool
    let append: @Sendable (AccessUnit) -> Void
    let announced: @Sendable (_ tracks: [Track], _ former: [Track]) -> Bool
    let wake: @Sendable () -> Void

    init<P: Packager>(_ feed: Feed<P>) {
        self.feed = feed
        isNeeded = { feed.isNeeded(at: $0) }
        append = { feed.append($0) }
        announced = { feed.announced($0, after: $1) }
        wake = { feed.wake() }
    }
}
