import CALSA
import Codecs
import Glibc
import Streams

/// Configures a capture device: periods of 5 ms, a buffer of 200 ms, timestamps of the monotonic clock.
enum ALSAParameters {
    /// Half of the acceptable delay of 10 ms before audio is read.
    private static let periodMicroseconds: CUnsignedInt = 5_000
    /// How long reading may pause before audio is lost.
    private static let bufferMicroseconds: CUnsignedInt = 200_000

    /// The supported sample formats, the most common one first.
    static let samples: [(sample: SampleFormat.Sample, format: snd_pcm_format_t)] = [
        (.int16, SND_PCM_FORMAT_S16), (.int32, SND_PCM_FORMAT_S32), (.float32, SND_PCM_FORMAT_FLOAT),
    ]

    /// Configures `pcm` for the format nearest to `wanted`.
    ///
    /// - Returns: the resulting format, and the number of frames in a period.
    static func set(
        on pcm: OpaquePointer, of name: String, near wanted: SampleFormat
    ) throws(SourceFailure) -> (SampleFormat, periodFrameCount: Int) {
        let (format, period) = try setHardware(pcm, name, wanted)
        try setSoftware(pcm, name, period)
        return (format, Int(period))
    }

    private static func setHardware(
        _ pcm: OpaquePointer, _ name: String, _ wanted: SampleFormat
    ) throws(SourceFailure) -> (SampleFormat, snd_pcm_uframes_t) {
        let hardware = try all(of: pcm, name)
        defer { snd_pcm_hw_params_free(hardware) }
        // Use the card's own rate: resampling is done once, in step with the capture clock.
        snd_pcm_hw_params_set_rate_resample(pcm, hardware, 0)
        try check(
            snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_RW_INTERLEAVED), name, "interleaved access")
        guard let sample = samples.first(where: { snd_pcm_hw_params_set_format(pcm, hardware, $0.format) >= 0 }) else {
            throw SourceFailure(
                reason: "the microphone \(name) offers no supported sample format (16-bit, 32-bit or float)",
                remedy: "replace hw: by plughw: in its name, so that ALSA converts")
        }
        var channels = CUnsignedInt(clamping: wanted.channelCount)
        try check(snd_pcm_hw_params_set_channels_near(pcm, hardware, &channels), name, "the number of channels")
        var rate = CUnsignedInt(clamping: wanted.sampleRate)
        try check(snd_pcm_hw_params_set_rate_near(pcm, hardware, &rate, nil), name, "the sample rate")
        var period = periodMicroseconds
        try check(snd_pcm_hw_params_set_period_time_near(pcm, hardware, &period, nil), name, "the period")
        var buffer = bufferMicroseconds
        try check(snd_pcm_hw_params_set_buffer_time_near(pcm, hardware, &buffer, nil), name, "the buffer size")
        try check(snd_pcm_hw_params(pcm, hardware), name, "the format")
        var frameCount: snd_pcm_uframes_t = 0
        snd_pcm_hw_params_get_period_size(hardware, &frameCount, nil)
        let format = SampleFormat(sample: sample.sample, sampleRate: Int(rate), channelCount: Int(channels))
        guard (1...8).contains(channels), (4000...768_000).contains(rate), (1...768_000).contains(frameCount) else {
            throw SourceFailure(
                reason: "the microphone \(name) has \(channels) channels at \(rate) Hz, which cannot be encoded",
                remedy: "replace hw: by plughw: in its name, so that ALSA converts")
        }
        return (format, frameCount)
    }

    /// All configurations that the device supports (snd_pcm_hw_params_any); the caller frees them.
    static func all(of pcm: OpaquePointer, _ name: String) throws(SourceFailure) -> OpaquePointer {
        var hardware: OpaquePointer?
        guard snd_pcm_hw_params_malloc(&hardware) >= 0, let hardware else {
            throw SourceFailure(reason: "not enough memory for the microphone")
        }
        let code = snd_pcm_hw_params_any(pcm, hardware)
        guard code >= 0 else {
            snd_pcm_hw_params_free(hardware)
            throw .microphone(name, code: code)
        }
        return hardware
    }

    private static func setSoftware(
        _ pcm: OpaquePointer, _ name: String, _ period: snd_pcm_uframes_t
    ) throws(SourceFailure) {
        var software: OpaquePointer?
        guard snd_pcm_sw_params_malloc(&software) >= 0, let software else {
            throw SourceFailure(reason: "not enough memory for the microphone")
        }
        defer { snd_pcm_sw_params_free(software) }
        try check(snd_pcm_sw_params_current(pcm, software), name, "a query of its state")
        try check(snd_pcm_sw_params_set_avail_min(pcm, software, period), name, "the wake-up threshold")
        // If the device has no timestamps, or none from the monotonic clock, the time of the read is used.
        snd_pcm_sw_params_set_tstamp_mode(pcm, software, SND_PCM_TSTAMP_ENABLE)
        snd_pcm_sw_params_set_tstamp_type(pcm, software, SND_PCM_TSTAMP_TYPE_MONOTONIC)
        try check(snd_pcm_sw_params(pcm, software), name, "the settings")
    }

    private static func check(_ code: CInt, _ name: String, _ what: String) throws(SourceFailure) {
        guard code < 0 else { return }
        throw SourceFailure(
            reason: "the microphone \(name) rejects \(what): \(String(cString: snd_strerror(code)))",
            remedy: "replace hw: by plughw: in its name, so that ALSA converts")
    }
}
