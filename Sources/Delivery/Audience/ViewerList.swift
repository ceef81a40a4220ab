import Media
import RTP
import Streams

/// The viewers of an audience, with those that were not sent everything.
struct ViewerList {
    private(set) var all: [Viewer] = []
    /// The memory that serving each viewer touches, to be prefetched, in the order of `all`.
    private(set) var memory: [ViewerMemory] = []
    /// Viewers that were not sent everything. No other viewer needs to be checked before something new comes.
    private(set) var behind: [Viewer] = []
    /// Viewers behind with full connections. They are checked together, and when their sockets become writable.
    private(set) var suspended: [Viewer] = []
    /// When to check the suspended viewers.
    private(set) var nextSuspendedCheck = MonotonicTime(nanoseconds: .min / 2)
    /// The former `behind`, kept to reuse its memory.
    private var formerlyBehind: [Viewer] = []

    mutating func insert(_ viewer: Viewer, leading: TrackID) {
        all.append(viewer)
        memory.append(ViewerMemory(of: viewer, track: leading.index))
    }

    mutating func remove(_ viewer: Viewer) {
        if let index = all.firstIndex(where: { $0 === viewer }) {
            all.remove(at: index)
            memory.remove(at: index)
        }
        behind.removeAll { $0 === viewer }
        suspended.removeAll { $0 === viewer }
    }

    /// Lists a viewer that was not sent everything.
    mutating func listBehind(_ viewer: Viewer) {
        guard viewer.place?.isListedBehind == false else { return }
        viewer.place?.isListedBehind = true
        behind.append(viewer)
    }

    /// Suspends a viewer with a full connection, so that no turn checks it for a while.
    mutating func suspend(_ viewer: Viewer) {
        guard viewer.place?.isListedBehind == false else { return }
        viewer.place?.isListedBehind = true
        if suspended.isEmpty { nextSuspendedCheck = viewer.suspendedUntil }
        suspended.append(viewer)
    }

    /// Lists the suspended viewers as behind, if it is time to check them.
    mutating func resumeSuspended(at now: MonotonicTime) {
        guard !suspended.isEmpty, now >= nextSuspendedCheck else { return }
        behind += suspended
        suspended.removeAll(keepingCapacity: true)
    }

    /// Takes the viewers that are behind, to be served; the list is empty then. Give the array back by ``reuse(_:)``.
    mutating func takeBehind() -> [Viewer] {
        var taken: [Viewer] = []
        swap(&taken, &behind)
        swap(&behind, &formerlyBehind)
        for viewer in taken { viewer.place?.isListedBehind = false }
        return taken
    }

    /// Keeps the memory of an array from ``takeBehind()``.
    mutating func reuse(_ array: inout [Viewer]) {
        array.removeAll(keepingCapacity: true)
        swap(&array, &formerlyBehind)
    }

    /// Lists viewers, which were not served in this turn, before the others.
    mutating func listFirst(_ viewers: some Sequence<Viewer>) {
        let rest = viewers.filter { $0.place?.isListedBehind == false }
        for viewer in rest { viewer.place?.isListedBehind = true }
        behind.insert(contentsOf: rest, at: 0)
    }
}
