import CFFmpeg
import Media

/// Makes planar float sound of one rate and channel count from sound of any kind, in frames of any length. Confined to one thread.
///
/// Surround sound is mixed down by the usual matrix (ITU-R BS.775).
public final class Resampler {
    private struct Kind: Equatable {
        let format: CInt
        let rate: CInt
        let channelCount: CInt
    }

    private let sampleRate: ClockRate
    private let channelCount: Int
    private var context: OpaquePointer?
    private var source: Kind?
    /// Samples that wait to be taken, a list per channel.
    private var waiting: [[Float]]

    public init(sampleRate: ClockRate, channelCount: Int) {
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        waiting = Array(repeating: [], count: channelCount)
    }

    deinit {
        swr_free(&context)
    }

    /// Samples of each channel that can be taken now.
    public var availableSampleCount: Int { waiting.first?.count ?? 0 }

    /// Converts `sound` and keeps the result until it is taken; its kind may change in the middle.
    public func push(_ sound: DecodedSound) throws(CodecFailure) {
        let frame = sound.reference.pointer
        let kind = Kind(
            format: frame.pointee.format, rate: frame.pointee.sample_rate,
            channelCount: frame.pointee.ch_layout.nb_channels)
        if kind != source {
            try finish()
            try open(for: frame)
            source = kind
        }
        try convert(frame.pointee.extended_data, count: frame.pointee.nb_samples)
    }

    /// Converts the last samples, which its filter still holds.
    public func finish() throws(CodecFailure) {
        guard context != nil else { return }
        try convert(nil, count: 0)
        swr_free(&context)
        source = nil
    }

    /// The next `count` samples of each channel; `nil` where there are fewer.
    public func take(_ count: Int = AAC.samplesPerAccessUnit) throws(CodecFailure) -> AudioFrame? {
        guard availableSampleCount >= count else { return nil }
        let frame = try AudioFrame(sampleCount: count, channelCount: channelCount, sampleRate: sampleRate)
        for channel in 0..<channelCount {
            _ = frame[channel].update(fromContentsOf: waiting[channel].prefix(count))
            waiting[channel].removeFirst(count)
        }
        return frame
    }

    private func open(for frame: UnsafeMutablePointer<AVFrame>) throws(CodecFailure) {
        var layout = AVChannelLayout()
        av_channel_layout_default(&layout, CInt(channelCount))
        // A file may say how many channels there are without saying which: the usual ones, then.
        var input = frame.pointee.ch_layout
        if input.order == AV_CHANNEL_ORDER_UNSPEC { av_channel_layout_default(&input, input.nb_channels) }
        var status = swr_alloc_set_opts2(
            &context, &layout, AV_SAMPLE_FMT_FLTP, sampleRate.hertz, &input,
            AVSampleFormat(frame.pointee.format), frame.pointee.sample_rate, 0, nil)
        if status >= 0 { status = swr_init(context) }
        guard status >= 0 else {
            swr_free(&context)
            throw CodecFailure("this kind of sound cannot be resampled", code: status, remedy: "convert it to AAC")
        }
    }

    private func convert(
        _ planes: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, count: CInt
    ) throws(CodecFailure) {
        let capacity = swr_get_out_samples(context, count)
        guard capacity > 0 else { return }
        let output = try AudioFrame(sampleCount: Int(capacity), channelCount: channelCount, sampleRate: sampleRate)
        // swr_convert wants const pointers, which differ from ours in name only.
        let input = UnsafeMutableRawPointer(planes)?.assumingMemoryBound(to: UnsafePointer<UInt8>?.self)
        let written = swr_convert(context, output.reference.pointer.pointee.extended_data, capacity, input, count)
        guard written >= 0 else { throw CodecFailure("sound cannot be resampled", code: written) }
        for channel in 0..<channelCount { waiting[channel] += output[channel].prefix(Int(written)) }
    }
}
