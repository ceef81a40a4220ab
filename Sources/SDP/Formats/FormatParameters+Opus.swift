import Media

/// Opus (RFC 7587, section 6.1).
extension FormatParameters {
    init(opusChannelCount: Int) {
        self.init([(name: "sprop-stereo", value: opusChannelCount > 1 ? "1" : "0")])
    }

    /// Opus is stereo unless the description denies it: FFmpeg and GStreamer send stereo without saying so, and the default of the
    /// RFC is only a hint.
    var opus: DescribedTrack.Payload {
        .described(.opus(channelCount: number("sprop-stereo") == 0 ? 1 : 2))
    }
}

extension RTPMap {
    /// G.711, which has all of its parameters in the map.
    func g711(_ law: G711.Law) -> DescribedTrack.Payload {
        guard let hertz = Int32(exactly: clockRate), let rate = ClockRate(hertz: hertz),
            let format = G711(law, sampleRate: rate, channelCount: channelCount ?? 1)
        else { return .unknown }
        return .described(.g711(format))
    }
}
