import Media
import RTP
import Streams

/// A round that serves every viewer of an audience once, if necessary in several turns. A pure state machine.
///
/// Each round begins with another viewer, so that no viewer is always last.
struct ServiceRound {
    /// The index of the viewer that the round began with, if there are still so many viewers.
    private var start = 0
    /// How many viewers the round has served.
    private var served = 0
    /// The index after the newest run when the round began. Viewers served early in the round may have missed later runs.
    private(set) var endIndex: Int64 = -1
    private(set) var isUnderWay = false

    /// Begins a round if there is something new and no round is under way; returns whether one is under way.
    mutating func begin(at newest: Int64, viewerCount: Int) -> Bool {
        guard !isUnderWay, endIndex != newest else { return isUnderWay }
        start = viewerCount > 0 ? (start + 1) % viewerCount : 0
        (served, endIndex, isUnderWay) = (0, newest, true)
        return true
    }

    /// The index of the next viewer to serve; `nil` after the last one.
    mutating func next(of viewerCount: Int) -> Int? {
        guard served < viewerCount else {
            isUnderWay = false
            return nil
        }
        defer { served += 1 }
        return (start + served) % viewerCount
    }

    /// Restarts the round because indices have changed. A viewer that was served already needs nothing.
    mutating func viewersChanged() {
        served = 0
    }
}

/// The progress of one turn.
enum ServiceProgress {
    /// There was nothing to send.
    case none
    /// Every viewer was served.
    case complete
    /// Some viewers are left for the next turn, which must come soon.
    case partial
}

extension Audience {
    /// Serves every viewer once if there is something new, otherwise those that are behind, within the turn's allowance.
    func serveAll(with transmitter: Transmitter) -> ServiceProgress {
        guard !viewers.isEmpty else { return .none }
        let former = round.endIndex
        if round.begin(at: reader.endIndex, viewerCount: viewers.count) {
            // Runs from before the first round are history.
            if round.endIndex != former { sendTimes = former < 0 ? nil : SendTimes(former..<round.endIndex) }
            return serveAllViewers(with: transmitter)
        }
        resumeSuspended(at: transmitter.now)
        return behind.isEmpty ? .none : serveViewersBehind(with: transmitter)
    }

    /// How many viewers ahead memory is prefetched: serving three takes longer than a memory access.
    private static let prefetchDistance = 3

    private func serveAllViewers(with transmitter: Transmitter) -> ServiceProgress {
        var round = round
        defer { self.round = round }
        while transmitter.hasAllowance {
            guard let index = round.next(of: viewers.count) else {
                return round.endIndex == reader.endIndex ? .complete : .partial
            }
            memory[(index + Self.prefetchDistance) % memory.count].prefetch()
            serve(viewers[index], with: transmitter)
        }
        return .partial
    }

    private func serveViewersBehind(with transmitter: Transmitter) -> ServiceProgress {
        swap(&behind, &formerlyBehind)
        defer { formerlyBehind.removeAll(keepingCapacity: true) }
        for viewer in formerlyBehind { viewer.isListedBehind = false }
        for (index, viewer) in formerlyBehind.enumerated() {
            guard transmitter.hasAllowance else {
                // These come first in the next turn.
                let rest = formerlyBehind[index...].filter { !$0.isListedBehind }
                for viewer in rest { viewer.isListedBehind = true }
                behind.insert(contentsOf: rest, at: 0)
                return .partial
            }
            serve(viewer, with: transmitter)
        }
        return .complete
    }

    /// Sends one viewer what it has not been sent yet, as far as its transport takes it.
    func serve(_ viewer: Viewer, with transmitter: Transmitter) {
        transmitter.serve(viewer, of: self)
        let isCaughtUp = viewer.position.index >= reader.endIndex && !viewer.isInFastStart && !viewer.isDraining
        guard !isCaughtUp, viewer.phase == .playing else { return }
        if viewer.isSuspended(at: transmitter.now) { suspend(viewer) } else { listBehind(viewer) }
    }

    /// Lists a viewer that was not sent everything.
    func listBehind(_ viewer: Viewer) {
        guard !viewer.isListedBehind else { return }
        viewer.isListedBehind = true
        behind.append(viewer)
    }

    /// Suspends a viewer with a full connection, so that no turn checks it for a while.
    private func suspend(_ viewer: Viewer) {
        guard !viewer.isListedBehind else { return }
        viewer.isListedBehind = true
        if suspended.isEmpty { nextSuspendedCheck = viewer.suspendedUntil }
        suspended.append(viewer)
    }

    private func resumeSuspended(at now: MonotonicTime) {
        guard !suspended.isEmpty, now >= nextSuspendedCheck else { return }
        behind += suspended
        suspended.removeAll(keepingCapacity: true)
    }

    /// Whether a viewer must be served soon because it is paced.
    var isPacing: Bool { behind.contains { $0.pacer != nil && $0.phase == .playing } }
}
