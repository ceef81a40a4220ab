import Codecs
import Media
import Streams

/// Makes access units of a camera's frames, in the format that was agreed. Confined to one thread.
protocol CameraCoder: AnyObject {
    /// What a viewer must know; `nil` while only the first frames can tell.
    var tracks: [Track]? { get }

    /// Whether a frame may be left out when a newer one is there.
    var mayDrop: Bool { get }

    /// The units of one frame, in the camera's memory planes; none where the frame has a fault, which `fault` then tells.
    func units(
        of planes: [UnsafeRawBufferPointer], at time: MediaTime, forcingRandomAccess: Bool
    ) throws(SourceFailure) -> [AccessUnit]

    /// What was wrong with the last frame.
    var fault: FrameFault? { get }
}

let cameraTrack = TrackID(0)

/// Raw pictures and JPEG: made I420 and coded here.
final class PictureCoder: CameraCoder {
    private(set) var fault: FrameFault?
    let mayDrop = true
    let encoder: VideoEncoder
    private let layout: FrameLayout
    private let scaler: Scaler
    private let control: EncoderControl
    /// Of JPEG only.
    private let decoder: VideoDecoder?

    /// - Parameter model: how to code; size and rate are the camera's.
    init(
        _ layout: FrameLayout, interval: FrameInterval, like model: VideoEncoder.Settings, control: EncoderControl
    ) throws(CodecFailure) {
        self.layout = layout
        self.control = control
        let settings = model.resized(
            width: max(16, layout.width & ~1), height: max(16, layout.height & ~1), frameRate: .init(interval))
        encoder = try VideoEncoder(settings)
        scaler = Scaler(width: settings.width, height: settings.height)
        decoder = layout.format == .motionJPEG ? try .motionJPEG() : nil
    }

    var tracks: [Track]? { [Track(id: cameraTrack, clockRate: .video, format: .h264(encoder.parameterSets))] }

    func units(
        of planes: [UnsafeRawBufferPointer], at time: MediaTime, forcingRandomAccess: Bool
    ) throws(SourceFailure) -> [AccessUnit] {
        fault = nil
        do throws(CodecFailure) {
            guard let picture = try picture(planes) else { return [] }
            return try encoder.encode(
                try scaler.scale(picture), track: cameraTrack, presentationTime: time,
                forcingRandomAccess: forcingRandomAccess)
        } catch {
            throw SourceFailure(error)
        }
    }

    private func picture(_ planes: [UnsafeRawBufferPointer]) throws(CodecFailure) -> DecodedPicture? {
        guard !planes.isEmpty, planes.allSatisfy({ !$0.isEmpty }) else { return refused(.empty) }
        guard case .raw(let raw, let memory) = layout.format else { return try decoded(planes[0]) }
        guard let slices = layout.slices(ofPicture: raw, memory: memory, byteCounts: planes.map(\.count)) else {
            return refused(.short)
        }
        let rows = slices.map { slice in
            let range = slice.offset..<slice.offset + slice.byteCount
            return RawPlane(
                bytes: UnsafeRawBufferPointer(rebasing: planes[slice.memoryPlane][range]), stride: slice.stride)
        }
        return try DecodedPicture(raw, width: layout.width, height: layout.height, planes: rows)
    }

    private func decoded(_ bytes: UnsafeRawBufferPointer) throws(CodecFailure) -> DecodedPicture? {
        guard let header = JPEGHeader(parsing: bytes) else { return refused(.undecodable) }
        guard header.isComplete else { return refused(.truncated) }
        guard header.width == layout.width, header.height == layout.height else { return refused(.otherSize) }
        let pictures = try decoder?.decode(bytes, presentationTime: nil, decodeTime: nil) ?? []
        return pictures.last ?? refused(.undecodable)
    }

    private func refused(_ fault: FrameFault) -> DecodedPicture? {
        self.fault = fault
        return nil
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
