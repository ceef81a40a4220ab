import Media

/// Where a source announces its tracks and publishes its units.
struct SourceOutput {
    /// The instant from which media times count.
    let epoch: MonotonicTime
    let announce: ([Track]) -> Void
    let publish: (AccessUnit) -> Void
}

/// Publishes the units of a container's tracks, and announces the tracks again when they have changed.
struct TrackOutput {
    private let output: SourceOutput
    private let tracks: [any FileTrack]
    private var announced: [Track] = []
    private var announcedRevisions: [Int] = []

    init(_ output: SourceOutput, _ tracks: [any FileTrack]) {
        (self.output, self.tracks) = (output, tracks)
    }

    /// A change takes effect with a keyframe.
    mutating func publish(_ unit: AccessUnit) {
        if unit.isKeyframe { announceIfChanged() }
        output.publish(unit)
    }

    mutating func announceIfChanged() {
        let (current, revisions) = (tracks.map(\.track), tracks.map(\.revision))
        guard current != announced || revisions != announcedRevisions else { return }
        (announced, announcedRevisions) = (current, revisions)
        output.announce(current)
    }
}
