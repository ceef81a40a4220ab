import Media

/// An encoded frame or audio unit on the file's timeline, in nanoseconds. The passes of a loop follow each other on it.
struct TimedUnit {
    let track: TrackID
    var decode: Int64
    var presentation: Int64
    let duration: Int64
    let isKeyframe: Bool
    /// NAL units, or one audio access unit.
    let units: [[UInt8]]
    /// The encode timing, if it was encoded here.
    var encodeTiming: AccessUnit.EncodeTiming?
}
