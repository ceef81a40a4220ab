extension VLC {
    /// A while of its play.
    struct Stretch {
        let before: Statistics
        let after: Statistics
        let duration: Duration
        /// What it logged.
        let lines: [Substring]
        /// Of the machine, which VLC is not to blame for, nor what it plays.
        let standstills: [Standstill]

        /// For how long the machine stood still.
        var standstill: Duration { standstills.reduce(.zero) { $0 + $1.duration } }

        /// Whether the machine once stood still for longer than VLC had anything to play: it then begins anew.
        var isBroken: Bool { standstills.contains { $0.duration > .milliseconds(200) } }
    }

    /// Looks on while so many pictures are shown, or lost.
    ///
    /// - Returns: `nil` where that takes longer than `seconds`.
    func stretch(ofPictures count: Int, within seconds: Double) async throws -> Stretch? {
        guard let before = try await statistics(within: 10, where: { _ in true }) else { return nil }
        let (start, lineCount) = (ContinuousClock.now, log.count)
        let due = before.displayedPictures + before.lostPictures + count
        let after = try await statistics(within: seconds) { $0.displayedPictures + $0.lostPictures >= due }
        return after.map {
            Stretch(
                before: before, after: $0, duration: ContinuousClock.now - start,
                lines: Array(log.dropFirst(lineCount)),
                // The statistics are a second old at most.
                standstills: Standstill.all(since: start - .seconds(1)))
        }
    }
}
