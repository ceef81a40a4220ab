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
