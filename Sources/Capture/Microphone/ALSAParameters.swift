import CALSA
import Codecs
import Glibc
import Streams

/// How a capture device is set up: periods of 5 ms, a buffer of 200 ms, stamps of the monotonic clock.
enum ALSAParameters {
    /// Half of what a period may last: sound is read with at most so much delay.
    private static let periodMicroseconds: CUnsignedInt = 5_000
    /// How long nobody may read before sound is lost.
    private static let bufferMicroseconds: CUnsignedInt = 200_000

    /// The sample formats that are understood, the usual one first.
    static let samples: [(sample: SampleFormat.Sample, format: snd_pcm_format_t)] = [
        (.int16, SND_PCM_FORMAT_S16), (.int32, SND_PCM_FORMAT_S32), (.float32, SND_PCM_FORMAT_FLOAT),
    ]

    /// Sets `pcm` up for what comes nearest to `wanted`.
    ///
    /// - Returns: what it was, and the frames of a period.
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
        // The card's own rate: resampling is done once, and in step with the capture clock.
        snd_pcm_hw_params_set_rate_resample(pcm, hardware, 0)
        try check(
            snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_RW_INTERLEAVED), name, "its access by reads")
        guard let sample = samples.first(where: { snd_pcm_hw_params_set_format(pcm, hardware, $0.format) >= 0 }) else {
            throw SourceFailure(
                reason: "the microphone \(name) offers neither 16 nor 32 bits nor float",
                remedy: "name it with plughw: in place of hw:, and ALSA converts")
        }
        var channels = CUnsignedInt(clamping: wanted.channelCount)
        try check(snd_pcm_hw_params_set_channels_near(pcm, hardware, &channels), name, "its channels")
        var rate = CUnsignedInt(clamping: wanted.sampleRate)
        try check(snd_pcm_hw_params_set_rate_near(pcm, hardware, &rate, nil), name, "its rate")
        var period = periodMicroseconds
        try check(snd_pcm_hw_params_set_period_time_near(pcm, hardware, &period, nil), name, "its period")
        var buffer = bufferMicroseconds
        try check(snd_pcm_hw_params_set_buffer_time_near(pcm, hardware, &buffer, nil), name, "its buffer")
        try check(snd_pcm_hw_params(pcm, hardware), name, "its format")
        var frameCount: snd_pcm_uframes_t = 0
        snd_pcm_hw_params_get_period_size(hardware, &frameCount, nil)
        let format = SampleFormat(sample: sample.sample, sampleRate: Int(rate), channelCount: Int(channels))
        guard (1...8).contains(channels), (4000...768_000).contains(rate), (1...768_000).contains(frameCount) else {
            throw SourceFailure(
                reason: "the microphone \(name) has \(channels) channels at \(rate) Hz, which cannot be coded",
                remedy: "name it with plughw: in place of hw:, and ALSA converts")
        }
        return (format, frameCount)
    }

    /// All that the device could do; the caller frees it.
    static func all(of pcm: OpaquePointer, _ name: String) throws(SourceFailure) -> OpaquePointer {
        var hardware: OpaquePointer?
        guard snd_pcm_hw_params_malloc(&hardware) >= 0, let hardware else {
            throw SourceFailure(reason: "out of memory for a microphone")
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
            throw SourceFailure(reason: "out of memory for a microphone")
        }
        defer { snd_pcm_sw_params_free(software) }
        try check(snd_pcm_sw_params_current(pcm, software), name, "its state")
        try check(snd_pcm_sw_params_set_avail_min(pcm, software, period), name, "its wake-ups")
        // Where a device has no stamps, or none of this clock, the time of reading stands in for them.
        snd_pcm_sw_params_set_tstamp_mode(pcm, software, SND_PCM_TSTAMP_ENABLE)
        snd_pcm_sw_params_set_tstamp_type(pcm, software, SND_PCM_TSTAMP_TYPE_MONOTONIC)
        try check(snd_pcm_sw_params(pcm, software), name, "its settings")
    }

    private static func check(_ code: CInt, _ name: String, _ what: String) throws(SourceFailure) {
        guard code < 0 else { return }
        throw SourceFailure(
            reason: "the microphone \(name) refuses \(what): \(String(cString: snd_strerror(code)))",
            remedy: "name it with plughw: in place of hw:, and ALSA converts")
    }
}
