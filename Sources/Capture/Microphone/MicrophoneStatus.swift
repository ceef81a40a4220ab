/// How a microphone is doing.
public struct MicrophoneStatus: Hashable, Sendable {
    /// Whether it delivers; else there is silence in its place.
    public var isCapturing = false
    /// How often sound was lost because nobody read in time (xruns).
    public var overrunCount = 0
    /// How often it went away, or could not be opened.
    public var outageCount = 0
    /// Milliseconds of silence that stand for lost sound; that in place of an absent microphone does not count.
    public var insertedSilenceMilliseconds = 0
    /// By how many millionths its clock is fast, as far as is known; it is corrected.
    public var driftPartsPerMillion = 0.0

    public init() {}
}
