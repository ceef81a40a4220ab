extension VLC {
    /// An interval of playback.
    struct Interval {
        let before: Statistics
        let after: Statistics
        let duration: Duration
        /// The log lines of the interval.
        let lines: [Substring]
        /// Warnings about the machine itself, which neither VLC nor the stream causes.
        let hostStalls: [HostStall]

        /// The total time during which the machine stalled.
        var hostStall: Duration { hostStalls.reduce(.zero) { $0 + $1.duration } }

        /// Whether one stall was longer than VLC's buffer, so that VLC restarts playback.
        var isBroken: Bool { hostStalls.contains { $0.duration > .milliseconds(200) } }
    }

    /// Waits while so many frames are shown or lost.
    ///
    /// - Returns: `nil` if that takes longer than `seconds`.
    func interval(ofFrames count: Int, within seconds: Double) async throws -> Interval? {
        guard let before = try await statistics(within: 10, where: { _ in true }) else { return nil }
        let (start, lineCount) = (ContinuousClock.now, log.count)
        let due = before.displayedFrames + before.lostFrames + count
        let after = try await statistics(within: seconds) { $0.displayedFrames + $0.lostFrames >= due }
        return after.map {
            Interval(
                before: before, after: $0, duration: ContinuousClock.now - start,
                lines: Array(log.dropFirst(lineCount)),
                // The statistics are at most one second old.
                hostStalls: HostStall.all(since: start - .seconds(1)))
        }
    }
}
