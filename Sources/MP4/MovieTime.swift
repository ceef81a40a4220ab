import Media

/// A time of the movie in ticks of its track, as `tfdt` has it: ten seconds later than in the stream, because it is unsigned and a
/// decode time may be slightly before the stream's epoch.
enum MovieTime {
    private static let seconds: Int64 = 10

    /// Wraps only for a source that jumps farther than any clock runs.
    static func ticks(_ time: MediaTime) -> UInt64 {
        UInt64(bitPattern: time.ticks &+ seconds &* Int64(time.rate.hertz))
    }
}
