import Media

/// A track of a stream as a track of a movie. Immutable; a class, because each fragment refers to it.
final class MovieTrack: Sendable {
    let track: Track
    let entry: SampleEntry
    let framing: SampleFraming
    // Facts of the track that are needed for each sample.
    let id: TrackID
    let clockRate: ClockRate
    let isVideo: Bool
    /// Whether decoding can start at every sample.
    let hasOnlySyncSamples: Bool

    /// `nil` if MP4 does not carry its format.
    init?(_ track: Track, _ parameterSets: ParameterSetPlacement) {
        guard let entry = SampleEntry(track.format, parameterSets: parameterSets) else { return nil }
        self.track = track
        (id, clockRate, isVideo) = (track.id, track.clockRate, track.kind == .video)
        hasOnlySyncSamples = track.codec.facts.randomAccess == .everyUnit
        self.entry = entry
        framing = SampleFraming(track, parameterSets)
    }

    /// track_ID, which is never 0.
    var number: UInt32 { UInt32(truncatingIfNeeded: id.index) &+ 1 }

    /// Ticks per second.
    var timescale: UInt32 { UInt32(clockRate.hertz) }
}
