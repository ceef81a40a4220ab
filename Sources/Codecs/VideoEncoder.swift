import CFFmpeg
import Media

/// Codes pictures as H.264, one access unit out for each picture in: no reordering, no look-ahead. Confined to one thread.
///
/// Every IDR picture carries its parameter sets in band. An encoder that opens may still refuse to work (hardware
/// encoders do), so construction tries one picture first.
public final class VideoEncoder {
    public let settings: Settings
    /// The encoder that was chosen: `libx264`.
    public let name: String
    /// What a decoder needs before the first picture.
    public let parameterSets: H264.ParameterSets
    /// The average quantizer of the last picture, 0 to 51: the higher, the coarser; `nil` where the encoder does not tell.
    public private(set) var lastQuantizer: Int?

    private let context: CodecContext
    private var frameIndex: Int64 = 0
    /// Presentation times of pictures that have gone in and not come out, by their index.
    private var pending: [(index: Int64, time: MediaTime)] = []

    /// Opens the encoder and tries it with one picture: a few milliseconds.
    public init(_ settings: Settings) throws(CodecFailure) {
        let codec = try Self.codec(named: settings.encoder)
        parameterSets = try Self.trial(codec, settings)
        context = try Self.open(codec, settings)
        name = context.name
        self.settings = settings
    }

    /// Codes one picture of the encoder's size.
    ///
    /// - Parameter forcingRandomAccess: makes this very picture an IDR picture.
    /// - Returns: what is ready: with software encoders exactly this picture.
    public func encode(
        _ frame: VideoFrame, track: TrackID, presentationTime: MediaTime, forcingRandomAccess: Bool
    ) throws(CodecFailure) -> [AccessUnit] {
        guard frame.width == settings.width, frame.height == settings.height else {
            throw CodecFailure(
                reason: "a picture of \(frame.width)×\(frame.height) came to an encoder of "
                    + "\(settings.width)×\(settings.height)",
                remedy: "scale it first")
        }
        let picture = frame.reference.pointer
        picture.pointee.pict_type = forcingRandomAccess ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
        picture.pointee.pts = frameIndex
        pending.append((frameIndex, presentationTime))
        frameIndex += 1
        try context.send(frame: picture)
        return try drain(track)
    }

    /// Codes what the encoder still holds, at the end of the input.
    public func finish(track: TrackID) throws(CodecFailure) -> [AccessUnit] {
        try context.send(frame: nil)
        return try drain(track)
    }

    /// Changes the bitrate, in bits per second, from the next picture on, without an IDR picture.
    public func changeBitrate(to bitrate: Int) {
        Self.apply(bitrate: bitrate, settings, to: context.pointer)
    }

    private func drain(_ track: TrackID) throws(CodecFailure) -> [AccessUnit] {
        var units: [AccessUnit] = []
        try context.drainPackets { packet in
            note(quality: apus_packet_quality(packet))
            let time = takeTime(ofPicture: packet.pointee.pts)
            guard let time, let coded = CodedPicture(annexB: packet.pointee) else { return }
            units.append(
                AccessUnit(
                    track: track, presentationTime: time, decodeTime: time,
                    isRandomAccess: coded.isInstantaneousRefresh, bytes: coded.bytes, units: coded.units))
        }
        return units
    }

    private func takeTime(ofPicture index: Int64) -> MediaTime? {
        guard let position = pending.firstIndex(where: { $0.index == index }) else { return nil }
        return pending.remove(at: position).time
    }

    private func note(quality: CInt) {
        lastQuantizer = quality >= 0 ? (Int(quality) + Int(FF_QP2LAMBDA) / 2) / Int(FF_QP2LAMBDA) : nil
    }
}
