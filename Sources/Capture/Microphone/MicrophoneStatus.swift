/// The state and counters of a microphone.
public struct MicrophoneStatus: Hashable, Sendable {
    /// Whether it delivers audio; otherwise silence replaces it.
    public var isCapturing = false
    /// How often audio was lost because it was not read in time (xruns).
    public var overrunCount = 0
    /// How often it was removed, failed or could not be opened.
    public var outageCount = 0
    /// Milliseconds of silence inserted for lost audio, without the silence that replaces an absent microphone.
    public var insertedSilenceMilliseconds = 0
    /// How many millionths its clock runs fast, as far as known. Resampling corrects this.
    public var driftPartsPerMillion = 0.0

    public init() {}
}
