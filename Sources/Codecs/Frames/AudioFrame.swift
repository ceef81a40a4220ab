import CFFmpeg
import Media

/// Uncompressed sound: 32-bit float samples from −1 to 1, a plane per channel. Confined to one thread.
public final class AudioFrame {
    /// Samples of each channel.
    public let sampleCount: Int
    public let channelCount: Int
    let reference: FrameReference

    /// Sound of undefined content: at most 8 channels, which is as many as AAC names.
    public init(sampleCount: Int, channelCount: Int, sampleRate: ClockRate) throws(CodecFailure) {
        guard (1...8).contains(channelCount), (1...1 << 20).contains(sampleCount) else {
            throw CodecFailure(reason: "sound of \(channelCount) channels and \(sampleCount) samples is not possible")
        }
        reference = try FrameReference()
        let frame = reference.pointer
        frame.pointee.format = AV_SAMPLE_FMT_FLTP.rawValue
        frame.pointee.nb_samples = CInt(sampleCount)
        frame.pointee.sample_rate = sampleRate.hertz
        av_channel_layout_default(&frame.pointee.ch_layout, CInt(channelCount))
        try reference.allocate("\(sampleCount) samples of sound")
        self.sampleCount = sampleCount
        self.channelCount = channelCount
    }

    /// The samples of one channel, valid as long as the frame.
    public subscript(channel: Int) -> UnsafeMutableBufferPointer<Float> {
        precondition(channel >= 0 && channel < channelCount, "a channel of this frame")
        // Allocated with as many planes as channels: extended_data has them all.
        let plane = UnsafeMutableRawPointer(reference.pointer.pointee.extended_data[channel]!)
        return UnsafeMutableBufferPointer(start: plane.assumingMemoryBound(to: Float.self), count: sampleCount)
    }
}
