import Media

/// A track of a publisher: its kind, and its number among those of this kind.
struct TrackKey: Hashable, Sendable {
    let kind: Codec.Kind
    let number: TrackNumber
}
