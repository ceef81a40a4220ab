import Codecs
import Media
import Streams

/// Makes access units of a camera's frames, in the format that was agreed. Confined to one thread.
protocol CameraPipeline: AnyObject {
    /// What a viewer must know; `nil` while only the first frames can tell.
    var tracks: [Track]? { get }

    /// Counts up where the tracks are to be announced anew with the next units, though they are the same.
    var revision: Int { get }

    /// Whether its pictures are the camera's, untouched: then the camera is asked for IDR pictures.
    var passesThrough: Bool { get }

    /// Whether the camera is to be opened anew: effects need pictures, and without them H.264 of the camera's passes through.
    var needsReopening: Bool { get }

    /// Whether a frame may be left out when a newer one is there.
    var mayDrop: Bool { get }

    /// The units of one frame; none where the frame has a fault, which `fault` then tells.
    ///
    /// - Parameter skipped: frames that were left out before this one.
    func units(of frame: CameraFrame, at time: MediaTime, skipped: Int) throws(SourceFailure) -> [AccessUnit]

    /// What was wrong with the last frame.
    var fault: FrameFault? { get }
}

let cameraVideoTrack = TrackID(0)
let cameraAudioTrack = TrackID(1)

/// Raw pictures and JPEG, and H.264 that effects are applied to: made I420 and coded here. NV12 that nobody else wants
/// stays in the driver's memory, where the encoder's device can read it there.
final class CameraEncodingPipeline: CameraPipeline {
    private(set) var fault: FrameFault?
    /// H.264 has to be decoded without a gap.
    var mayDrop: Bool { layout.format != .h264 }
    private let layout: FrameLayout
    private let scaler: Scaler
    private let stage: VideoEncodingStage
    private let control: EncoderControl
    private let size: (width: Int, height: Int, rate: VideoEncoder.FrameRate)
    /// Of JPEG and H.264 only.
    private let decoder: VideoDecoder?

    /// Codes as `control` has it; size and rate are the camera's.
    init(
        _ layout: FrameLayout, interval: FrameInterval, control: EncoderControl, fanOut: FrameFanOut? = nil,
        clock: PaceClock = .host, streamClock: StreamClock? = nil,
        open: VideoEncodingStage.EncoderOpening = VideoEncodingStage.encoder
    ) throws(CodecFailure) {
        (self.layout, self.control) = (layout, control)
        size = (max(16, layout.width & ~1), max(16, layout.height & ~1), .init(interval))
        // What was wanted before is in the settings.
        _ = control.takeChange()
        let settings = control.settings.resized(width: size.width, height: size.height, frameRate: size.rate)
        stage = try VideoEncodingStage(
            settings, track: cameraVideoTrack, matrix: layout.expectedMatrix, control: control, fanOut: fanOut,
            clock: clock,
            streamClock: streamClock, open: open)
        scaler = Scaler(width: size.width, height: size.height)
        switch layout.format {
        case .motionJPEG: decoder = try .motionJPEG()
        case .h264: decoder = try VideoDecoder()
        case .raw: decoder = nil
        }
    }

    var tracks: [Track]? { [stage.track] }
    var revision: Int { stage.revision }
    let passesThrough = false
    var needsReopening: Bool { layout.format == .h264 && !control.settings.hasEffects }

    func units(of frame: CameraFrame, at time: MediaTime, skipped: Int) throws(SourceFailure) -> [AccessUnit] {
        fault = nil
        do throws(CodecFailure) {
            try stage.changeIfWanted { $0.resized(width: size.width, height: size.height, frameRate: size.rate) }
            if let units = imported(frame, at: time, skipped: skipped) { return units }
            guard let picture = try picture(frame.planes, at: time) else { return [] }
            // A decoder of H.264 may hold a picture back.
            let captured = picture.presentationTime.map { MediaTime(ticks: $0, rate: time.rate) } ?? time
            return try stage.units(of: try scaler.scale(picture), at: captured, skipped: skipped)
        } catch {
            throw SourceFailure(error)
        }
    }

    /// The units of a frame that the encoder's device reads in the driver's memory; `nil` where it is to be read here.
    private func imported(_ frame: CameraFrame, at time: MediaTime, skipped: Int) -> [AccessUnit]? {
        guard stage.importsFrames, control.isImportWorthTrying, frame.mayBeKept else { return nil }
        do throws(CodecFailure) {
            guard let picture = try ExportedFrame(frame, layout) else { return nil }
            return try stage.units(of: picture, at: time, skipped: skipped)
        } catch {
            control.importFailed(error)
            return nil
        }
    }

    private func picture(
        _ planes: [UnsafeRawBufferPointer], at time: MediaTime
    ) throws(CodecFailure) -> DecodedVideoFrame? {
        guard !planes.isEmpty, planes.allSatisfy({ !$0.isEmpty }) else { return refused(.empty) }
        guard case .raw(let raw, let memory) = layout.format else {
            guard layout.format == .h264 else { return try decoded(planes[0]) }
            return try decoder?.decode(planes[0], presentationTime: time.ticks, decodeTime: time.ticks).last
        }
        guard let slices = layout.slices(ofFrame: raw, memory: memory, byteCounts: planes.map(\.count)) else {
            return refused(.short)
        }
        let rows = slices.map { slice in
            let range = slice.offset..<slice.offset + slice.byteCount
            return RawPlane(
                bytes: UnsafeRawBufferPointer(rebasing: planes[slice.memoryPlane][range]), stride: slice.stride)
        }
        let picture = try DecodedVideoFrame(raw, width: layout.width, height: layout.height, planes: rows)
        (picture.matrix, picture.range) = (layout.matrix, layout.range)
        return picture
    }

    private func decoded(_ bytes: UnsafeRawBufferPointer) throws(CodecFailure) -> DecodedVideoFrame? {
        guard let header = JPEGHeader(parsing: bytes) else { return refused(.undecodable) }
        guard header.isComplete else { return refused(.truncated) }
        guard header.width == layout.width, header.height == layout.height else { return refused(.otherSize) }
        let pictures = try decoder?.decode(bytes, presentationTime: nil, decodeTime: nil) ?? []
        return pictures.last ?? refused(.undecodable)
    }

    private func refused(_ fault: FrameFault) -> DecodedVideoFrame? {
        self.fault = fault
        return nil
    }
}

extension FrameLayout {
    /// Of the pictures as they go into the encoder; `nil` for the one that players suppose, or that only the pictures tell.
    fileprivate var expectedMatrix: ColourMatrix? {
        switch format {
        case .h264: nil
        // JFIF knows no other.
        case .motionJPEG: .bt601
        case .raw(let raw, _): raw.isRGB ? nil : matrix
        }
    }
}

extension ExportedFrame {
    /// The frame where it lies; `nil` where it lies otherwise than encoders' devices read it, or is too short.
    ///
    /// - Throws: where the driver does not export its memory.
    fileprivate convenience init?(_ frame: CameraFrame, _ layout: FrameLayout) throws(CodecFailure) {
        // The range is changed only in memory that is read here.
        guard layout.format == .raw(.nv12, memory: .contiguous), layout.range == .limited, layout.width % 2 == 0,
            layout.height % 2 == 0,
            let slices = layout.slices(ofFrame: .nv12, memory: .contiguous, byteCounts: frame.planes.map(\.count))
        else { return nil }
        guard let exported = frame.export()?.first else {
            throw CodecFailure(reason: "its driver does not export its memory (DMABUF)")
        }
        let planes = slices.map { Plane(offset: exported.offset + $0.offset, stride: $0.stride) }
        self.init(
            in: exported.memory, width: layout.width, height: layout.height, luma: planes[0], chroma: planes[1],
            owner: frame)
    }
}

extension VideoEncoder.FrameRate {
    /// The rate of pictures so far apart, as far as an encoder takes it.
    init(_ interval: FrameInterval) {
        let exact =
            interval.numerator <= 1001
            ? Self(Int32(clamping: interval.denominator), Int32(interval.numerator)) : nil
        let thousandths = Int32((interval.framesPerSecond * 1000).rounded().clamped(to: 100...1_000_000))
        self = exact ?? Self(thousandths, 1000) ?? .thirty
    }
}

extension Double {
    fileprivate func clamped(to limits: ClosedRange<Double>) -> Double {
        min(max(self, limits.lowerBound), limits.upperBound)
    }
}
