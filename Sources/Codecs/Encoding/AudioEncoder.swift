import CFFmpeg
import Media

/// Encodes audio as AAC-LC. Confined to one thread.
///
/// An access unit leaves the encoder two frames (43 ms at 48 kHz) after its first sample went in, because the encoder needs
/// the following samples for overlapping windows and the search for transients.
public final class AudioEncoder {
    /// The audio format and the bitrate.
    public struct Settings: Hashable, Sendable {
        public var sampleRate = ClockRate.audio48k
        public var channelCount = 2
        /// In bit/s.
        public var bitrate = 128_000

        public init() {}
    }

    public let settings: Settings
    /// The configuration that a decoder needs before the first access unit.
    public let configuration: AAC.AudioSpecificConfig
    /// Samples of each channel in every frame; only the last frame may have fewer.
    public let samplesPerFrame: Int

    private let context: CodecContext
    private var firstTime: Int64?

    /// Opens the encoder.
    public init(_ settings: Settings) throws(CodecFailure) {
        guard let codec = avcodec_find_encoder_by_name("aac") else {
            throw CodecFailure(reason: "no AAC encoder is installed", remedy: "install libavcodec with its AAC encoder")
        }
        context = try CodecContext(codec)
        let pointer = context.pointer
        pointer.pointee.sample_rate = settings.sampleRate.hertz
        pointer.pointee.sample_fmt = AV_SAMPLE_FMT_FLTP
        pointer.pointee.bit_rate = Int64(settings.bitrate)
        pointer.pointee.time_base = AVRational(num: 1, den: settings.sampleRate.hertz)
        av_channel_layout_default(&pointer.pointee.ch_layout, CInt(clamping: settings.channelCount))
        try context.open(remedy: "choose 1 to 8 channels, a usual sample rate up to 96 kHz, and a bitrate to match")
        let extra = UnsafeBufferPointer(start: pointer.pointee.extradata, count: Int(pointer.pointee.extradata_size))
        configuration = AAC.AudioSpecificConfig(
            bytes: Array(extra), sampleRate: settings.sampleRate, channelCount: settings.channelCount)
        samplesPerFrame = Int(pointer.pointee.frame_size)
        self.settings = settings
    }

    /// Encodes one frame whose first sample has this presentation time.
    ///
    /// If the times jump between two frames, the times of the access units jump too.
    /// - Returns: the access units that are ready, each with the time of the first sample that a decoder will make of it.
    ///   The unit before the first sample (it only primes the decoder's overlap) is left out.
    public func encode(
        _ frame: AudioFrame, track: TrackID, presentationTime: MediaTime
    ) throws(CodecFailure) -> [AccessUnit] {
        let time =
            presentationTime.rate == settings.sampleRate
            ? presentationTime.ticks : settings.sampleRate.ticks(inNanoseconds: presentationTime.nanoseconds)
        firstTime = firstTime ?? time
        frame.reference.pointer.pointee.pts = time
        try context.send(frame: frame.reference.pointer)
        return try drain(track)
    }

    /// Encodes the samples that the encoder still holds, at the end of the input.
    public func finish(track: TrackID) throws(CodecFailure) -> [AccessUnit] {
        try context.send(frame: nil)
        return try drain(track)
    }

    private func drain(_ track: TrackID) throws(CodecFailure) -> [AccessUnit] {
        var units: [AccessUnit] = []
        let firstTime = firstTime ?? 0
        try context.drainPackets { packet in
            guard packet.pointee.pts >= firstTime, packet.pointee.size > 0 else { return }
            let bytes = Array(UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size)))
            let time = MediaTime(ticks: packet.pointee.pts, rate: settings.sampleRate)
            units.append(
                AccessUnit(
                    track: track, presentationTime: time, decodeTime: time, isKeyframe: true, bytes: bytes,
                    units: [0..<bytes.count]))
        }
        return units
    }
}
