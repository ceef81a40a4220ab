import Codecs
import Media
import Streams

/// What a path shows while its source is absent.
public enum AbsenceDisplay: Hashable, Sendable {
    /// The source's last frame with a notice; the slate if there was none.
    case lastFrame
    /// A dark frame with a notice.
    case slate
}

/// Draws and encodes the substitute for an absent source, in the announced size and profile, for given instants. Confined to one
/// thread.
final class Slate {
    let tracks: [Track]
    private let video: Video?
    private var silence: [SilentTrack] = []

    private struct Video {
        let track: TrackID
        let encoder: VideoEncoder
        let renderer: SlateRenderer
    }

    /// Frames per second: enough for a clock with seconds, and little work.
    static let frameRate = 5
    /// A viewer that joins sees a frame at once, and a lost packet is repaired within 2 s.
    private static let gopFrames = 10
    private static let bitrate = 400_000

    /// Opens the encoder, and decodes the last frame if it is shown.
    init(_ tracks: [Track], _ display: AbsenceDisplay, lastKeyframe: AccessUnit?) throws(CodecFailure) {
        self.tracks = tracks
        let leading = tracks.leading
        if let leading, case .h264(let sets) = leading.format {
            let settings = Self.settings(for: sets)
            let background = display == .lastFrame ? Self.picture(of: lastKeyframe, settings) : nil
            video = Video(
                track: leading.id, encoder: try VideoEncoder(settings),
                renderer: SlateRenderer(width: settings.width, height: settings.height, background: background))
        } else {
            video = nil
        }
        for track in tracks where track.kind == .audio {
            if let silent = try SilentTrack(track) { silence.append(silent) }
        }
    }

    private static func settings(for sets: H264.ParameterSets) -> VideoEncoderSettings {
        var settings = VideoEncoderSettings()
        // A hardware encoder is left to sources.
        settings.encoder = "libx264"
        settings.frameRate = FrameRate(Int32(frameRate)) ?? .thirty
        (settings.bitrate, settings.gopFrames, settings.threads) = (bitrate, gopFrames, 1)
        // Keyframes of a still picture may be large.
        settings.bufferFrames = gopFrames
        guard let set = H264.SequenceParameterSet(parsing: sets.sequence[0]) else { return settings }
        (settings.width, settings.height) = (set.width & ~1, set.height & ~1)
        settings.profile =
            switch set.profile {
            case 66: .baseline
            case 77: .main
            default: .high
            }
        return settings
    }

    /// The last frame in the slate's size; `nil` if it cannot be decoded.
    private static func picture(of keyframe: AccessUnit?, _ settings: VideoEncoderSettings) -> VideoFrame? {
        guard let keyframe else { return nil }
        // A damaged frame is no reason to show nothing.
        do throws(CodecFailure) {
            let decoder = try VideoDecoder()
            guard let decoded = try (decoder.decode(keyframe) + decoder.finish()).last else { return nil }
            return try Scaler(width: settings.width, height: settings.height, fit: .letterbox).scale(decoded)
        } catch {
            return nil
        }
    }

    /// The units that are due: silence up to this instant, in nanoseconds since the epoch, and one frame.
    func units(
        at nanoseconds: Int64, elapsedSeconds: Int64, forcingKeyframe: Bool
    ) throws(CodecFailure) -> [AccessUnit] {
        var units: [AccessUnit] = []
        for index in silence.indices { units += silence[index].units(until: nanoseconds) }
        guard let video else { return units }
        let frame = try video.renderer.draw(elapsedSeconds: elapsedSeconds)
        return try units
            + video.encoder.encode(
                frame, track: video.track, presentationTime: MediaTime(nanoseconds: nanoseconds, rate: .video),
                forcingKeyframe: forcingKeyframe)
    }
}
