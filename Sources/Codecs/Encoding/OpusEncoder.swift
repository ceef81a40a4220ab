import CFFmpeg
import Media

/// Encodes audio as Opus (libopus) at 48 kHz. Confined to one thread.
///
/// An access unit leaves the encoder with the frame that went in: its first sample is heard 6.5 ms after it, because the encoder looks
/// ahead by as much.
public final class OpusEncoder: AudioFrameEncoder {
    public let sampleRate = ClockRate.audio48k
    public let channelCount: Int
    public let samplesPerFrame: Int

    private let context: CodecContext

    /// Milliseconds in each frame. A longer one waits longer for its last sample; a shorter one costs more for headers than it is sooner.
    private static let frameMilliseconds = 10
    /// The bitrates that libopus accepts for each channel.
    private static let bitrates = 6_000...256_000

    /// Opens the encoder.
    ///
    /// - Parameters:
    ///   - channelCount: 1 or 2; others become 2.
    ///   - bitrate: in bit/s, limited to what libopus accepts.
    public init(channelCount: Int, bitrate: Int) throws(CodecFailure) {
        guard let codec = avcodec_find_encoder_by_name("libopus") else {
            throw CodecFailure(
                reason: "no Opus encoder is installed", remedy: "install libavcodec with libopus")
        }
        let channels = channelCount == 1 ? 1 : 2
        context = try CodecContext(codec)
        let pointer = context.pointer
        pointer.pointee.sample_rate = sampleRate.hertz
        pointer.pointee.sample_fmt = AV_SAMPLE_FMT_FLT
        pointer.pointee.bit_rate = Int64(
            min(max(bitrate, Self.bitrates.lowerBound), Self.bitrates.upperBound * channels))
        pointer.pointee.time_base = AVRational(num: 1, den: sampleRate.hertz)
        av_channel_layout_default(&pointer.pointee.ch_layout, CInt(channels))
        try context.open(
            options: ["frame_duration": "\(Self.frameMilliseconds)", "application": "audio"],
            remedy: "choose another bitrate")
        self.channelCount = channels
        samplesPerFrame = Int(pointer.pointee.frame_size)
    }

    public var format: Track.Format { .opus(channelCount: channelCount) }

    public func encode(
        _ frame: AudioFrame, track: TrackID, presentationTime: MediaTime
    ) throws(CodecFailure) -> [AccessUnit] {
        let interleaved = try interleaved(frame)
        interleaved.pointer.pointee.pts = sampleRate.ticks(inNanoseconds: presentationTime.nanoseconds)
        try context.send(frame: interleaved.pointer)
        var units: [AccessUnit] = []
        try context.drainPackets { packet in
            guard packet.pointee.size > 0 else { return }
            let bytes = Array(UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size)))
            let time = MediaTime(ticks: packet.pointee.pts, rate: sampleRate)
            units.append(
                AccessUnit(
                    track: track, presentationTime: time, decodeTime: time, isKeyframe: true, bytes: bytes,
                    units: [0..<bytes.count]))
        }
        return units
    }

    /// libopus takes the samples of all channels in turn.
    private func interleaved(_ frame: AudioFrame) throws(CodecFailure) -> FrameReference {
        let reference = try FrameReference()
        reference.pointer.pointee.format = AV_SAMPLE_FMT_FLT.rawValue
        reference.pointer.pointee.nb_samples = CInt(frame.sampleCount)
        reference.pointer.pointee.sample_rate = sampleRate.hertz
        av_channel_layout_default(&reference.pointer.pointee.ch_layout, CInt(channelCount))
        try reference.allocate("\(frame.sampleCount) audio samples")
        guard let start = reference.pointer.pointee.data.0 else { throw .outOfMemory }
        start.withMemoryRebound(to: Float.self, capacity: frame.sampleCount * channelCount) { samples in
            for channel in 0..<channelCount {
                let plane = frame[channel]
                for index in plane.indices { samples[index * channelCount + channel] = plane[index] }
            }
        }
        return reference
    }
}
