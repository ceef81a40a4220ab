import Media

/// Encodes frames of audio of one rate and channel count. Confined to one thread.
public protocol AudioFrameEncoder: AnyObject {
    /// What a decoder needs before the first access unit.
    var format: Track.Format { get }
    var sampleRate: ClockRate { get }
    var channelCount: Int { get }
    /// Samples of each channel in every frame.
    var samplesPerFrame: Int { get }

    /// Encodes one frame whose first sample has this presentation time.
    ///
    /// - Returns: the access units that are ready, each with the time of the first sample that a decoder will make of it.
    func encode(
        _ frame: AudioFrame, track: TrackID, presentationTime: MediaTime
    ) throws(CodecFailure) -> [AccessUnit]
}

extension AudioEncoder: AudioFrameEncoder {
    public var format: Track.Format { .aac(configuration) }
    public var sampleRate: ClockRate { settings.sampleRate }
    public var channelCount: Int { settings.channelCount }
}
