import CFFmpeg
import Media

/// Uncompressed audio: 32-bit float samples from −1 to 1, one plane per channel. Confined to one thread.
public final class AudioFrame {
    /// Samples of each channel.
    public let sampleCount: Int
    public let channelCount: Int
    let reference: FrameReference

    /// Allocates audio with undefined content and at most 8 channels (AAC names no more).
    public init(sampleCount: Int, channelCount: Int, sampleRate: ClockRate) throws(CodecFailure) {
        guard (1...8).contains(channelCount), (1...1 << 20).contains(sampleCount) else {
            throw CodecFailure(reason: "audio of \(channelCount) channels and \(sampleCount) samples is not possible")
        }
        reference = try FrameReference()
        let frame = reference.pointer
        frame.pointee.format = AV_SAMPLE_FMT_FLTP.rawValue
        frame.pointee.nb_samples = CInt(sampleCount)
        frame.pointee.sample_rate = sampleRate.hertz
        av_channel_layout_default(&frame.pointee.ch_layout, CInt(channelCount))
        try reference.allocate("\(sampleCount) audio samples")
        self.sampleCount = sampleCount
        self.channelCount = channelCount
    }

    /// The samples of one channel. They are valid as long as the frame.
    public subscript(channel: Int) -> UnsafeMutableBufferPointer<Float> {
        precondition(channel >= 0 && channel < channelCount, "a channel of this frame")
        // The frame was allocated with one plane per channel, so extended_data has them all.
        let plane = UnsafeMutableRawPointer(reference.pointer.pointee.extended_data[channel]!)
        return UnsafeMutableBufferPointer(start: plane.assumingMemoryBound(to: Float.self), count: sampleCount)
    }
}
