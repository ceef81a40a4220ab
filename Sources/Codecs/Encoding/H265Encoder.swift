import CFFmpeg
import Media

/// Encodes frames as H.265 (profile Main): one access unit per frame, without reordering and look-ahead. Confined to one thread.
///
/// Every keyframe is an IDR picture with in-band parameter sets. Sources encode H.264 (`VideoEncoder`); this is for what takes the
/// place of a source of H.265.
public final class H265Encoder {
    public let settings: VideoEncoderSettings
    /// The parameter sets that a decoder needs before the first frame.
    public let parameterSets: H265.ParameterSets
    /// The encoder in use, such as `libx265`.
    public var name: String { opened.context.name }

    private let opened: LibavEncoder.Opened
    private var frameIndex: Int64 = 0
    /// Presentation times of the frames inside the encoder, with their indices.
    private var pending: [(index: Int64, time: MediaTime)] = []
    /// Frames since the last requested IDR picture, that one included; `nil` before the first.
    private var framesSinceIDR: Int?

    /// An encoder that holds back this many frames has failed without an error.
    private static let maximumDelay = 16

    /// Opens the first encoder that works, after a test with one frame.
    ///
    /// - Parameter settings: the encoder's name, the profile, the preset and intra refresh are not used.
    public init(_ settings: VideoEncoderSettings) throws(CodecFailure) {
        self.settings = settings
        (opened, parameterSets) = try Self.firstWorking(settings)
    }

    private static func firstWorking(
        _ settings: VideoEncoderSettings
    ) throws(CodecFailure) -> (LibavEncoder.Opened, H265.ParameterSets) {
        var reasons: [String] = []
        for (model, input) in EncoderModel.h265.flatMap({ model in model.inputs.map { (model, $0) } }) {
            do throws(CodecFailure) {
                return try CodecLog.capturing(model.name) { () throws(CodecFailure) in
                    let sets = try test(model, input, settings)
                    return (try LibavEncoder.Opened(model, input, settings), sets)
                }
            } catch {
                reasons.append("\(model.name): \(error.reason)")
            }
        }
        throw CodecFailure(
            reason: (["no H.265 encoder works here"] + reasons).joined(separator: "; "),
            remedy: "install libavcodec with libx265")
    }

    /// Encodes one grey frame with an encoder of its own, because an encoder that opens may still fail (hardware does).
    private static func test(
        _ model: EncoderModel, _ input: EncoderModel.Input, _ settings: VideoEncoderSettings
    ) throws(CodecFailure) -> H265.ParameterSets {
        let opened = try LibavEncoder.Opened(model, input, settings)
        let frame = try VideoFrame(width: settings.width, height: settings.height)
        for plane in [frame.luma, frame.cb, frame.cr] {
            plane.fill(x: 0..<plane.width, y: 0..<plane.height, with: 128)
        }
        let uploaded = try opened.upload.upload(frame)
        // The surface has no other owner until the encoder has taken it.
        defer { withExtendedLifetime(uploaded) {} }
        uploaded.pointer.pointee.pts = 0
        var encoded: [EncodedFrame] = []
        for input in [uploaded.pointer, nil] {
            try opened.context.send(frame: input)
            try opened.context.drainPackets { packet in EncodedFrame(packet).map { encoded.append($0) } }
        }
        guard let sets = encoded.lazy.compactMap(\.h265ParameterSets).first else {
            throw CodecFailure(reason: "\(model.name) did not start with parameter sets")
        }
        return sets
    }

    /// Encodes one frame of the encoder's size.
    ///
    /// - Parameter forcingKeyframe: whether this frame must be an IDR picture.
    /// - Returns: the access units that are ready; with a software encoder exactly that of this frame.
    public func encode(
        _ frame: VideoFrame, track: TrackID, presentationTime: MediaTime, forcingKeyframe: Bool
    ) throws(CodecFailure) -> [AccessUnit] {
        guard frame.width == settings.width, frame.height == settings.height else {
            throw CodecFailure(
                reason: "a frame of \(frame.width)×\(frame.height) was sent to an encoder for "
                    + "\(settings.width)×\(settings.height)",
                remedy: "scale it first")
        }
        guard pending.count < Self.maximumDelay else {
            throw CodecFailure(reason: "the encoder holds \(pending.count) frames and returns none")
        }
        let isIDR = forcingKeyframe || (framesSinceIDR ?? .max) >= settings.gopFrames
        let uploaded = try opened.upload.upload(frame)
        defer { withExtendedLifetime(uploaded) {} }
        uploaded.pointer.pointee.pict_type = isIDR ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
        uploaded.pointer.pointee.pts = frameIndex
        pending.append((frameIndex, presentationTime))
        framesSinceIDR = isIDR ? 1 : (framesSinceIDR ?? 0) + 1
        frameIndex += 1
        try opened.context.send(frame: uploaded.pointer)
        return try drain(track)
    }

    /// Encodes the frames that the encoder still holds, at the end of the input.
    public func finish(track: TrackID) throws(CodecFailure) -> [AccessUnit] {
        try opened.context.send(frame: nil)
        return try drain(track)
    }

    private func drain(_ track: TrackID) throws(CodecFailure) -> [AccessUnit] {
        var encoded: [EncodedFrame] = []
        try opened.context.drainPackets { packet in EncodedFrame(packet).map { encoded.append($0) } }
        return encoded.compactMap { frame in
            guard let position = pending.firstIndex(where: { $0.index == frame.index }) else { return nil }
            let time = pending[position].time
            pending.removeSubrange(...position)
            let types = frame.h265Types
            guard types.contains(where: \.isVideoCodingLayer) else { return nil }
            let isKeyframe = types.contains(where: \.isRandomAccessPoint)
            let isComplete = !isKeyframe || types.contains(.sequenceParameterSet)
            let whole =
                isComplete
                ? frame
                : EncodedFrame(
                    index: frame.index, units: parameterSets.all + frame.units.map { Array(frame.bytes[$0]) })
            return AccessUnit(
                track: track, presentationTime: time, decodeTime: time, isKeyframe: isKeyframe, bytes: whole.bytes,
                units: whole.units)
        }
    }
}

extension EncodedFrame {
    /// The types of its NAL units in a stream of H.265.
    fileprivate var h265Types: [H265.NALUnitType] { units.map { H265.NALUnitType(firstByte: bytes[$0.lowerBound]) } }

    /// The in-band parameter sets of H.265; `nil` unless all kinds are present.
    fileprivate var h265ParameterSets: H265.ParameterSets? {
        func all(_ type: H265.NALUnitType) -> [[UInt8]] {
            zip(units, h265Types).filter { $0.1 == type }.map { Array(bytes[$0.0]) }
        }
        return H265.ParameterSets(
            video: all(.videoParameterSet), sequence: all(.sequenceParameterSet), picture: all(.pictureParameterSet))
    }
}
