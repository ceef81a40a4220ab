import RateControl

extension EncoderRate.Settings {
    /// How the encoder of a path follows its viewers; `nil` if it does not.
    init?(_ path: Configuration.Path) {
        guard path.rate == .follow else { return nil }
        let maximum = path.video.bitrate
        let minimum = path.video.minimumBitrate > 0 ? min(path.video.minimumBitrate, maximum) : maximum / 10
        self.init(
            limits: RateLimits(
                minimum: DataRate(bitsPerSecond: Int64(minimum)), maximum: DataRate(bitsPerSecond: Int64(maximum))),
            audio: DataRate(bitsPerSecond: Int64(path.audio.enabled ? path.audio.bitrate : 0)),
            extent: path.video.reduce)
    }
}
