import Codecs
import Media
import Streams

/// Encodes raw frames, JPEG, and H.264 and H.265 that need effects, after conversion to I420. NV12 that only the encoder reads
/// stays in the driver's memory if the encoder's device can read it there.
final class CameraEncodingPipeline: CameraPipeline {
    private(set) var fault: FrameFault?
    /// False for H.264 and H.265, which have to be decoded without a gap.
    var mayDrop: Bool { !layout.format.isEncodedByCamera }
    private let layout: FrameLayout
    private let scaler: Scaler
    private let stage: VideoEncodingStage
    private let control: EncoderControl
    private let size: (width: Int, height: Int, rate: FrameRate)
    /// `nil` for raw frames.
    private let decoder: VideoDecoder?

    /// Encodes with the settings of `control`, but with the camera's size and frame rate.
    init(
        _ layout: FrameLayout, interval: FrameInterval, control: EncoderControl, fanOut: FrameFanOut? = nil,
        clock: PaceClock = .host, streamClock: StreamClock? = nil,
        open: VideoEncodingStage.EncoderOpening = VideoEncodingStage.encoder
    ) throws(CodecFailure) {
        (self.layout, self.control) = (layout, control)
        size = (max(16, layout.width & ~1), max(16, layout.height & ~1), .init(interval))
        // Earlier changes are already in the settings.
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
        case .h265: decoder = try VideoDecoder(.h265)
        case .raw: decoder = nil
        }
    }

    var tracks: [Track]? { [stage.track] }
    var revision: Int { stage.revision }
    let passesThrough = false
    var needsReopening: Bool { layout.format.isEncodedByCamera && !control.settings.hasEffects }

    func units(of frame: CameraFrame, at time: MediaTime, skipped: Int) throws(SourceFailure) -> [AccessUnit] {
        fault = nil
        do throws(CodecFailure) {
            try stage.applyRequestedChange { $0.resized(width: size.width, height: size.height, frameRate: size.rate) }
            if let units = imported(frame, at: time, skipped: skipped) { return units }
            guard let videoFrame = try videoFrame(frame.planes, at: time) else { return [] }
            // A decoder of H.264 or H.265 may output an earlier frame.
            let captured = videoFrame.presentationTime.map { MediaTime(ticks: $0, rate: time.rate) } ?? time
            return try stage.units(of: try scaler.scale(videoFrame), at: captured, skipped: skipped)
        } catch {
            throw SourceFailure(error)
        }
    }

    /// The units of a frame that the encoder's device reads in the driver's memory; `nil` if the frame has to be copied.
    private func imported(_ frame: CameraFrame, at time: MediaTime, skipped: Int) -> [AccessUnit]? {
        guard stage.importsFrames, control.shouldTryImport, frame.mayBeRetained else { return nil }
        do throws(CodecFailure) {
            guard let videoFrame = try ExportedFrame(frame, layout) else { return nil }
            return try stage.units(of: videoFrame, at: time, skipped: skipped)
        } catch {
            control.importFailed(error)
            return nil
        }
    }

    private func videoFrame(
        _ planes: [UnsafeRawBufferPointer], at time: MediaTime
    ) throws(CodecFailure) -> DecodedVideoFrame? {
        guard !planes.isEmpty, planes.allSatisfy({ !$0.isEmpty }) else { return reject(.empty) }
        guard case .raw(let raw, let memory) = layout.format else {
            guard layout.format.isEncodedByCamera else { return try decoded(planes[0]) }
            return try decoder?.decode(planes[0], presentationTime: time.ticks, decodeTime: time.ticks).last
        }
        guard let slices = layout.slices(ofFrame: raw, memory: memory, byteCounts: planes.map(\.count)) else {
            return reject(.short)
        }
        let rows = slices.map { slice in
            let range = slice.offset..<slice.offset + slice.byteCount
            return RawPlane(
                bytes: UnsafeRawBufferPointer(rebasing: planes[slice.memoryPlane][range]), stride: slice.stride)
        }
        let videoFrame = try DecodedVideoFrame(raw, width: layout.width, height: layout.height, planes: rows)
        (videoFrame.matrix, videoFrame.range) = (layout.matrix, layout.range)
        return videoFrame
    }

    private func decoded(_ bytes: UnsafeRawBufferPointer) throws(CodecFailure) -> DecodedVideoFrame? {
        guard let header = JPEGHeader(parsing: bytes) else { return reject(.undecodable) }
        guard header.isComplete else { return reject(.truncated) }
        guard header.width == layout.width, header.height == layout.height else { return reject(.otherSize) }
        let frames = try decoder?.decode(bytes, presentationTime: nil, decodeTime: nil) ?? []
        return frames.last ?? reject(.undecodable)
    }

    private func reject(_ fault: FrameFault) -> DecodedVideoFrame? {
        self.fault = fault
        return nil
    }
}

extension FrameLayout {
    /// The matrix of the frames that go into the encoder; `nil` for the one that players assume, or if only the frames tell it.
    fileprivate var expectedMatrix: ColourMatrix? {
        switch format {
        case .h264, .h265: nil
        // JFIF defines no other.
        case .motionJPEG: .bt601
        case .raw(let raw, _): raw.isRGB ? nil : matrix
        }
    }
}

extension ExportedFrame {
    /// The frame in the driver's memory; `nil` if its layout is not what encoder devices read, or if it is too short.
    ///
    /// - Throws: if the driver does not export its memory.
    fileprivate convenience init?(_ frame: CameraFrame, _ layout: FrameLayout) throws(CodecFailure) {
        // The range is converted only while a frame is copied.
        guard layout.format == .raw(.nv12, memory: .contiguous), layout.range == .limited, layout.width % 2 == 0,
            layout.height % 2 == 0,
            let slices = layout.slices(ofFrame: .nv12, memory: .contiguous, byteCounts: frame.planes.map(\.count))
        else { return nil }
        guard let exported = frame.export()?.first else {
            throw CodecFailure(reason: "the driver does not export its memory (DMABUF)")
        }
        let planes = slices.map { Plane(offset: exported.offset + $0.offset, stride: $0.stride) }
        self.init(
            in: exported.memory, width: layout.width, height: layout.height, luma: planes[0], chroma: planes[1],
            owner: frame)
    }
}

extension FrameRate {
    /// The frame rate of this interval, or the nearest that an encoder accepts.
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
