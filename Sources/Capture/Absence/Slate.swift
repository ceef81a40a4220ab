import Codecs
import Media

/// Draws and encodes the frames that viewers see while a source is absent, in the announced size and profile, for given instants.
/// Confined to one thread.
final class Slate {
    let tracks: [Track]
    private let video: Video?

    private struct Video {
        let track: TrackID
        let encoder: SubstituteEncoder
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
        var settings = VideoEncoderSettings()
        settings.frameRate = FrameRate(Int32(Self.frameRate)) ?? .thirty
        (settings.bitrate, settings.gopFrames) = (Self.bitrate, Self.gopFrames)
        // Keyframes of a still picture may be large.
        settings.bufferFrames = Self.gopFrames
        guard let leading = tracks.leading, let encoder = try SubstituteEncoder(leading.format, settings) else {
            video = nil
            return
        }
        let background =
            display == .lastFrame
            ? Self.picture(of: lastKeyframe, leading.codec, width: encoder.width, height: encoder.height) : nil
        video = Video(
            track: leading.id, encoder: encoder,
            renderer: SlateRenderer(width: encoder.width, height: encoder.height, background: background))
    }

    /// The last frame in the slate's size; `nil` if it cannot be decoded.
    private static func picture(of keyframe: AccessUnit?, _ codec: Codec, width: Int, height: Int) -> VideoFrame? {
        guard let keyframe else { return nil }
        // A damaged frame is no reason to show nothing.
        do throws(CodecFailure) {
            let decoder = try VideoDecoder(codec)
            guard let decoded = try (decoder.decode(keyframe) + decoder.finish()).last else { return nil }
            return try Scaler(width: width, height: height, fit: .letterbox).scale(decoded)
        } catch {
            return nil
        }
    }

    /// The frame for this instant, in nanoseconds since the epoch; none if there is no video.
    func units(
        at nanoseconds: Int64, elapsedSeconds: Int64, forcingKeyframe: Bool
    ) throws(CodecFailure) -> [AccessUnit] {
        guard let video else { return [] }
        let frame = try video.renderer.draw(elapsedSeconds: elapsedSeconds)
        return try video.encoder.encode(
            frame, track: video.track, presentationTime: MediaTime(nanoseconds: nanoseconds, rate: .video),
            forcingKeyframe: forcingKeyframe)
    }
}
