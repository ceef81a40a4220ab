import Media

/// Which announced track each track of a source takes the place of, so that viewers keep what they have negotiated. A pure value.
///
/// A source may lack the announced audio, which is silent then. Tracks that were not announced are dropped.
public struct TrackPlaces: Hashable, Sendable {
    /// The announced tracks with the parameters of the source's.
    public let tracks: [Track]
    /// The announced tracks that the source lacks.
    public let missing: [TrackID]
    private let places: [TrackID: TrackID]
    private let isIdentity: Bool

    /// `nil` if viewers that negotiated `announced` cannot receive the source: it has another codec, other audio parameters, or lacks
    /// the video.
    public init?(of source: [Track], among announced: [Track]) {
        var (tracks, missing, places) = (announced, [TrackID](), [TrackID: TrackID]())
        for (index, track) in announced.enumerated() {
            let candidates = source.filter { $0.kind == track.kind && places[$0.id] == nil }
            if let candidate = candidates.first(where: { track.isCompatible(with: $0.on(track.id)) }) {
                places[candidate.id] = track.id
                tracks[index] = candidate.on(track.id)
            } else if candidates.isEmpty, track.kind == .audio {
                missing.append(track.id)
            } else {
                return nil
            }
        }
        guard !places.isEmpty else { return nil }
        (self.tracks, self.missing, self.places) = (tracks, missing, places)
        isIdentity = missing.isEmpty && places.count == source.count && places.allSatisfy { $0.key == $0.value }
    }

    /// Whether the source has exactly the announced tracks.
    public var changesNothing: Bool { isIdentity }

    /// The source's unit in its announced track; `nil` if that track was not announced.
    public func place(_ unit: AccessUnit) -> AccessUnit? { places[unit.track].map(unit.on) }
}

extension Track {
    fileprivate func on(_ id: TrackID) -> Track { Track(id: id, clockRate: clockRate, format: format) }
}
