import Media
import Wire

/// One track of a publisher: its decoder configuration, and how its frames become access units.
struct ReceivedTrack: Sendable {
    private(set) var format: Track.Format
    private var framing: Framing
    /// The last decode time, in ticks.
    private var last: Int64 = .min

    private enum Framing: Sendable {
        case video(PictureFraming)
        case audio(AudioFrameClock)
    }

    /// `nil` if the configuration is malformed, or has no parameter sets.
    init?(_ codec: TagCodec, configuration: [UInt8]) {
        switch codec {
        case .h264:
            // OBS before 29.1, and some encoders, send H.265 with the number of H.264.
            guard let framing = PictureFraming(h264: configuration) ?? PictureFraming(h265: configuration) else {
                return nil
            }
            (format, self.framing) = (framing.format, .video(framing))
        case .h265:
            guard let framing = PictureFraming(h265: configuration) else { return nil }
            (format, self.framing) = (framing.format, .video(framing))
        case .aac:
            guard let config = AAC.AudioSpecificConfig(parsing: configuration) else { return nil }
            (format, framing) = (.aac(config), .audio(AudioFrameClock()))
        case .opus:
            guard let channelCount = OpusHead.channelCount(in: configuration) else { return nil }
            (format, framing) = (.opus(channelCount: channelCount), .audio(AudioFrameClock()))
        case .unsupported: return nil
        }
    }

    /// The same, with decode times that are later than those of the track that it replaces, if both have the same clock.
    func continuing(_ former: ReceivedTrack?) -> ReceivedTrack {
        guard let former, former.format.clockRate == format.clockRate else { return self }
        var track = self
        track.last = former.last
        return track
    }

    /// What a frame is.
    enum Frame {
        case unit(AccessUnit)
        /// It has no picture or no sound.
        case nothingToDecode
        case malformed
    }

    /// The most milliseconds between the decode time and the presentation time of a frame: sixteen frames at five frames a
    /// second. A presentation time beyond that is moved to this distance.
    private static let longestReordering: Int32 = 3_200

    /// Reads a frame, whose access unit is on a track.
    ///
    /// - Parameters:
    ///   - data: the range of the frame in `payload`.
    ///   - composition: milliseconds from the decode time to the presentation time.
    mutating func frame(
        _ payload: [UInt8], _ data: Range<Int>, on track: TrackID, decode: TagTime, composition: Int32
    ) -> Frame {
        switch framing {
        case .video(var pictures):
            let content = pictures.read(payload, data)
            (format, framing) = (pictures.format, .video(pictures))
            switch content {
            case .picture(let picture): return .unit(unit(picture, on: track, decode, composition))
            case .noPicture: return .nothingToDecode
            case .malformed: return .malformed
            }
        case .audio(var clock):
            let bytes = Array(payload[data])
            guard !bytes.isEmpty else { return .nothingToDecode }
            guard let sampleCount = sampleCount(of: bytes) else { return .malformed }
            let ticks = clock.ticks(of: decode, sampleCount: sampleCount, format.clockRate)
            framing = .audio(clock)
            let time = MediaTime(ticks: ascending(ticks), rate: format.clockRate)
            return .unit(
                AccessUnit(
                    track: track, presentationTime: time, decodeTime: time, isKeyframe: true, bytes: bytes,
                    units: [0..<bytes.count]))
        }
    }

    private mutating func unit(
        _ picture: PictureFraming.Picture, on track: TrackID, _ decode: TagTime, _ composition: Int32
    ) -> AccessUnit {
        let ticks = ascending(decode.ticks(.video))
        let distance = max(-Self.longestReordering, min(composition, Self.longestReordering))
        let composition = Int64(distance) * Int64(ClockRate.video.hertz) / 1000
        let shown = MediaTime(ticks: ticks + composition, rate: .video)
        return AccessUnit(
            track: track, presentationTime: shown, decodeTime: MediaTime(ticks: ticks, rate: .video),
            isKeyframe: picture.isKeyframe, bytes: picture.bytes, units: picture.units)
    }

    /// The time, or the next tick if the publisher repeats a time or goes back.
    private mutating func ascending(_ ticks: Int64) -> Int64 {
        last = max(ticks, last == .min ? ticks : last + 1)
        return last
    }

    private func sampleCount(of frame: [UInt8]) -> Int? {
        switch format {
        case .aac(let configuration): configuration.samplesPerFrame
        case .opus: Opus.sampleCount(of: frame)
        case .h264, .h265, .g711: nil
        }
    }
}
