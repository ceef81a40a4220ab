import Codecs
import Media
import Streams

/// Decodes received JPEG frames and encodes them as H.264, with their size and their capture times. Confined to one thread.
final class VideoTranscoder {
    private let id: TrackID
    private let control: EncoderControl
    private let clock: StreamClock
    private let decoder: VideoDecoder
    /// `nil` before the first frame, whose size it needs.
    private var encoding: Encoding?
    /// Counts the stages.
    private var stageCount = 0

    private struct Encoding {
        let width: Int
        let height: Int
        let stage: VideoEncodingStage
        let scaler: Scaler
    }

    /// - Parameters:
    ///   - control: has the settings, except for size.
    ///   - clock: that of the stream, for the timestamp overlay.
    init(_ id: TrackID, control: EncoderControl, clock: StreamClock) throws(CodecFailure) {
        (self.id, self.control, self.clock) = (id, control, clock)
        decoder = try .motionJPEG()
    }

    /// The track with the parameter sets of the current encoder; `nil` before the first frame.
    var track: Track? { encoding?.stage.track }
    /// Increases when the stream must restart for viewers.
    var revision: Int { stageCount + (encoding?.stage.revision ?? 0) }

    /// The encoded frame, or none if `unit` is damaged.
    func units(of unit: AccessUnit) throws(CodecFailure) -> [AccessUnit] {
        let frames = try unit.bytes.span.bytes.withUnsafeBytes { (bytes) throws(CodecFailure) in
            try decoder.decode(bytes, presentationTime: nil, decodeTime: nil)
        }
        guard let frame = frames.last else { return [] }
        let encoding = try encoding(of: frame)
        let own = encoding.stage.settings.video
        try encoding.stage.applyRequestedChange {
            $0.resized(width: own.width, height: own.height, frameRate: $0.video.frameRate)
        }
        return try encoding.stage.units(of: try encoding.scaler.scale(frame), at: unit.presentationTime)
    }

    /// The encoder for frames of this size. A sender may change the size at any frame.
    private func encoding(of frame: DecodedVideoFrame) throws(CodecFailure) -> Encoding {
        if let encoding, (encoding.width, encoding.height) == (frame.width, frame.height) { return encoding }
        // Earlier changes are already in the settings.
        _ = control.takeChange()
        let settings = control.settings.resized(
            width: max(16, frame.width & ~1), height: max(16, frame.height & ~1),
            frameRate: control.settings.video.frameRate)
        // The colours of JPEG are those of JFIF, which has one matrix.
        let stage = try VideoEncodingStage(
            settings, track: id, matrix: .bt601, control: control, streamClock: clock)
        if let former = encoding?.stage { stageCount += former.revision + 1 }
        let new = Encoding(
            width: frame.width, height: frame.height, stage: stage,
            scaler: Scaler(width: settings.video.width, height: settings.video.height))
        encoding = new
        return new
    }
}
