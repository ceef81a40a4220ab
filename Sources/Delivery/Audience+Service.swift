import Media
import RTP
import Streams

/// A round in which everyone of an audience is served once, perhaps in several turns. A pure machine.
///
/// Each round begins with another viewer, so that nobody is always last.
struct ServiceRound {
    /// Index of the viewer with whom the round began, if there are still so many.
    private var start = 0
    /// How many were served in it.
    private var served = 0
    /// One past the newest run when it began: who was served then may have missed what came later.
    private(set) var endIndex: Int64 = -1
    private(set) var isUnderWay = false

    /// Begins a round if there is something new, and none is under way; answers whether one is.
    mutating func begin(at newest: Int64, viewerCount: Int) -> Bool {
        guard !isUnderWay, endIndex != newest else { return isUnderWay }
        start = viewerCount > 0 ? (start + 1) % viewerCount : 0
        (served, endIndex, isUnderWay) = (0, newest, true)
        return true
    }

    /// Index of the next viewer to be served; `nil` where all have been.
    mutating func next(of viewerCount: Int) -> Int? {
        guard served < viewerCount else {
            isUnderWay = false
            return nil
        }
        defer { served += 1 }
        return (start + served) % viewerCount
    }

    /// The indices have changed: all are looked at again. Who was served already needs nothing.
    mutating func viewersChanged() {
        served = 0
    }
}

/// How far a turn came.
enum Service {
    /// Nobody had to be served.
    case none
    /// Everyone was.
    case complete
    /// The rest is to be served in the next turn, soon: the loop has others to look after.
    case partial
}

extension Audience {
    /// Serves everyone once if there is something new, else who is behind, as far as the turn's allowance goes.
    func serveAll(with transmitter: Transmitter) -> Service {
        guard !viewers.isEmpty else { return .none }
        let former = round.endIndex
        if round.begin(at: reader.endIndex, viewerCount: viewers.count) {
            // What was there before the first round is history.
            if round.endIndex != former { sendTimes = former < 0 ? nil : SendTimes(former..<round.endIndex) }
            return serveEveryone(with: transmitter)
        }
        wakeResting(at: transmitter.now)
        return behind.isEmpty ? .none : serveThoseBehind(with: transmitter)
    }

    /// How many viewers ahead memory is asked for: three take longer to serve than memory takes to answer.
    private static let prefetchDistance = 3

    private func serveEveryone(with transmitter: Transmitter) -> Service {
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

    private func serveThoseBehind(with transmitter: Transmitter) -> Service {
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

    /// Sends one viewer what it has not been sent yet, as far as its route takes it.
    func serve(_ viewer: Viewer, with transmitter: Transmitter) {
        transmitter.serve(viewer, of: self)
        let isThrough = viewer.position.index >= reader.endIndex && !viewer.isInFastStart && !viewer.isDraining
        guard !isThrough, viewer.phase == .playing else { return }
        if viewer.isResting(at: transmitter.now) { rest(viewer) } else { becameLate(viewer) }
    }

    /// The viewer was not sent everything.
    func becameLate(_ viewer: Viewer) {
        guard !viewer.isListedBehind else { return }
        viewer.isListedBehind = true
        behind.append(viewer)
    }

    /// The viewer's connection takes nothing: no turn needs to look at the viewer before it has rested.
    private func rest(_ viewer: Viewer) {
        guard !viewer.isListedBehind else { return }
        viewer.isListedBehind = true
        if resting.isEmpty { nextLookAtResting = viewer.restsUntil }
        resting.append(viewer)
    }

    private func wakeResting(at now: MonotonicTime) {
        guard !resting.isEmpty, now >= nextLookAtResting else { return }
        behind += resting
        resting.removeAll(keepingCapacity: true)
    }

    /// Whether someone is to be looked at soon because of its pace.
    var isPacing: Bool { behind.contains { $0.pacer != nil && $0.phase == .playing } }
}
