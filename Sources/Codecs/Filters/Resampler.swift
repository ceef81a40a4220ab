import CFFmpeg
import Media

/// Converts audio of any format to planar float of one rate and channel count, in frames of any length. Confined to one thread.
///
/// Surround sound is mixed down with the usual matrix (ITU-R BS.775).
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
    /// Converted samples that have not been taken yet, one list per channel.
    private var waiting: [[Float]]
    /// Converted samples of each channel that are dropped next.
    private var skippedSampleCount = 0
    /// The stretch in parts per million; `nil` if none was requested.
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

    /// Converts `audio` and keeps the result until it is taken. The input format may change at any call.
    public func push(_ audio: DecodedAudio) throws(CodecFailure) {
        let frame = audio.reference.pointer
        let kind = Kind(
            format: frame.pointee.format, rate: frame.pointee.sample_rate,
            channelCount: frame.pointee.ch_layout.nb_channels)
        try follow(kind, layout: frame.pointee.ch_layout)
        try convert(frame.pointee.extended_data, count: frame.pointee.nb_samples)
    }

    /// Converts whole frames of `format`, as an audio device delivers them.
    public func push(_ bytes: UnsafeRawBufferPointer, of format: SampleFormat) throws(CodecFailure) {
        let kind = Kind(
            format: format.sample.format.rawValue, rate: CInt(clamping: format.sampleRate),
            channelCount: CInt(clamping: format.channelCount))
        try follow(kind, layout: AVChannelLayout())
        // swr_convert only reads through these pointers, although their type allows writing.
        let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress.map(UnsafeMutablePointer.init(mutating:))
        guard let start, format.bytesPerFrame > 0 else { return }
        var planes: [UnsafeMutablePointer<UInt8>?] = [start]
        let count = CInt(clamping: bytes.count / format.bytesPerFrame)
        try convert(&planes, count: count)
    }

    /// Converts the last samples, which the resampling filter still holds.
    public func finish() throws(CodecFailure) {
        guard context != nil else { return }
        try convert(nil, count: 0)
        swr_free(&context)
        source = nil
    }

    /// Takes the next `count` samples of each channel; `nil` if there are fewer.
    public func take(_ count: Int = AAC.samplesPerAccessUnit) throws(CodecFailure) -> AudioFrame? {
        guard availableSampleCount >= count else { return nil }
        let frame = try AudioFrame(sampleCount: count, channelCount: channelCount, sampleRate: sampleRate)
        for channel in 0..<channelCount {
            _ = frame[channel].update(fromContentsOf: waiting[channel].prefix(count))
            waiting[channel].removeFirst(count)
        }
        return frame
    }

    // MARK: - Lost and surplus audio

    /// Inserts silence after what was pushed: so many samples of each channel.
    public func appendSilence(_ sampleCount: Int) {
        for channel in 0..<channelCount { waiting[channel] += repeatElement(0, count: max(0, sampleCount)) }
    }

    /// Drops the next samples of each channel that are converted, in place of those of an earlier call.
    public func skip(_ sampleCount: Int) { skippedSampleCount = max(0, sampleCount) }

    // MARK: - Clock drift

    /// Stretches the following audio by so many parts per million (shortens it if negative), to compensate for clock drift.
    ///
    /// A stretch below 1000 is inaudible: a tone changes by 1.7 cents.
    public func stretch(partsPerMillion: Int) {
        compensation = CInt(clamping: partsPerMillion)
    }

    /// The duration of audio that was pushed but is still inside the resampling filter, in nanoseconds.
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
        // A file may give only the number of channels, not their layout, and devices always do: the default layout is used then.
        var input = declaredLayout
        if input.order == AV_CHANNEL_ORDER_UNSPEC { av_channel_layout_default(&input, kind.channelCount) }
        var status = swr_alloc_set_opts2(
            &context, &layout, AV_SAMPLE_FMT_FLTP, sampleRate.hertz, &input,
            AVSampleFormat(kind.format), kind.rate, 0, nil)
        if status >= 0 { status = swr_init(context) }
        guard status >= 0 else {
            swr_free(&context)
            throw CodecFailure("audio of this format cannot be resampled", code: status, remedy: "convert it to AAC")
        }
    }

    private func convert(
        _ planes: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, count: CInt
    ) throws(CodecFailure) {
        if let compensation, planes != nil {
            // The stretch is set anew long before a million samples have passed, so a number of samples means parts per million.
            let status = swr_set_compensation(context, compensation, 1_000_000)
            guard status >= 0 else { throw CodecFailure("audio cannot be stretched", code: status) }
        }
        let capacity = swr_get_out_samples(context, count)
        guard capacity > 0 else { return }
        let output = try AudioFrame(sampleCount: Int(capacity), channelCount: channelCount, sampleRate: sampleRate)
        // swr_convert wants const pointers; ours differ only in the type's name.
        let input = UnsafeMutableRawPointer(planes)?.assumingMemoryBound(to: UnsafePointer<UInt8>?.self)
        let written = swr_convert(context, output.reference.pointer.pointee.extended_data, capacity, input, count)
        guard written >= 0 else { throw CodecFailure("audio cannot be resampled", code: written) }
        let skipped = min(skippedSampleCount, Int(written))
        skippedSampleCount -= skipped
        for channel in 0..<channelCount { waiting[channel] += output[channel].prefix(Int(written)).dropFirst(skipped) }
    }
}
