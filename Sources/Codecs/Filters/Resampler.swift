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
    /// Millionths by which it is to be longer; `nil` where nobody asked for any.
    private var compensation: CInt?

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
    public func push(_ sound: DecodedAudio) throws(CodecFailure) {
        let frame = sound.reference.pointer
        let kind = Kind(
            format: frame.pointee.format, rate: frame.pointee.sample_rate,
            channelCount: frame.pointee.ch_layout.nb_channels)
        try follow(kind, layout: frame.pointee.ch_layout)
        try convert(frame.pointee.extended_data, count: frame.pointee.nb_samples)
    }

    /// The same with whole frames of `format`, as a device delivers them.
    public func push(_ bytes: UnsafeRawBufferPointer, of format: SampleFormat) throws(CodecFailure) {
        let kind = Kind(
            format: format.sample.format.rawValue, rate: CInt(clamping: format.sampleRate),
            channelCount: CInt(clamping: format.channelCount))
        try follow(kind, layout: AVChannelLayout())
        // swr_convert reads only, whatever the type of its pointers says here.
        let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress.map(UnsafeMutablePointer.init(mutating:))
        guard let start, format.bytesPerFrame > 0 else { return }
        var planes: [UnsafeMutablePointer<UInt8>?] = [start]
        let count = CInt(clamping: bytes.count / format.bytesPerFrame)
        try convert(&planes, count: count)
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

    // MARK: - Time

    /// Makes what follows longer by so many millionths, or shorter where it is negative: the sound's clock is not ours.
    ///
    /// Below 1000 nobody hears it: a tone changes by 1.7 cents.
    public func stretch(partsPerMillion: Int) {
        compensation = CInt(clamping: partsPerMillion)
    }

    /// How much sound was pushed and has not come out yet, because its filter needs what follows. In nanoseconds.
    public var heldNanoseconds: Int64 {
        context == nil ? 0 : swr_get_delay(context, 1_000_000_000)
    }

    // MARK: - Conversion

    private func follow(_ kind: Kind, layout: AVChannelLayout) throws(CodecFailure) {
        guard kind != source else { return }
        try finish()
        try open(for: kind, layout: layout)
        source = kind
    }

    private func open(for kind: Kind, layout declaredLayout: AVChannelLayout) throws(CodecFailure) {
        var layout = AVChannelLayout()
        av_channel_layout_default(&layout, CInt(channelCount))
        // A file may say how many channels there are without saying which, and devices always do: the usual ones, then.
        var input = declaredLayout
        if input.order == AV_CHANNEL_ORDER_UNSPEC { av_channel_layout_default(&input, kind.channelCount) }
        var status = swr_alloc_set_opts2(
            &context, &layout, AV_SAMPLE_FMT_FLTP, sampleRate.hertz, &input,
            AVSampleFormat(kind.format), kind.rate, 0, nil)
        if status >= 0 { status = swr_init(context) }
        guard status >= 0 else {
            swr_free(&context)
            throw CodecFailure("this kind of sound cannot be resampled", code: status, remedy: "convert it to AAC")
        }
    }

    private func convert(
        _ planes: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, count: CInt
    ) throws(CodecFailure) {
        if let compensation, planes != nil {
            // Over a million samples, and renewed long before: whole samples are millionths then.
            let status = swr_set_compensation(context, compensation, 1_000_000)
            guard status >= 0 else { throw CodecFailure("sound cannot be stretched", code: status) }
        }
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
