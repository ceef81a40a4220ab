import Media
import Streams

/// Passes on the H.264 or H.265 of a camera that has an encoder, unchanged: each of its frames is one access unit in Annex B format.
final class CameraPassthroughPipeline: CameraPipeline {
    private(set) var fault: FrameFault?
    /// False because each frame refers to the one before.
    let mayDrop = false
    let passesThrough = true
    let revision = 0
    private let format: Format
    private let control: EncoderControl
    private var sets: any ParameterSetTracking

    init(_ format: Format, control: EncoderControl) {
        (self.format, self.control) = (format, control)
        sets = format == .h264 ? H264.ParameterSetTracker() : H265.ParameterSetTracker()
    }

    var needsReopening: Bool { control.settings.hasEffects }

    var tracks: [Track]? {
        sets.format.map { [Track(id: cameraVideoTrack, format: $0)] }
    }

    func units(of frame: CameraFrame, at time: MediaTime, skipped: Int) throws(SourceFailure) -> [AccessUnit] {
        fault = nil
        guard let bytes = frame.planes.first, !bytes.isEmpty else {
            fault = .empty
            return []
        }
        let units = nalUnits(of: bytes)
        for unit in units { _ = sets.observe(unit) }
        let roles = units.map(format.role)
        guard roles.contains(where: { $0 == .slice || $0 == .keyframeSlice }) else {
            // Some cameras send their parameter sets as a separate frame.
            fault = roles.contains(.parameterSet) ? nil : .undecodable
            return []
        }
        let isKeyframe = roles.contains(.keyframeSlice)
        return [
            AccessUnit(
                track: cameraVideoTrack, presentationTime: time, decodeTime: time, isKeyframe: isKeyframe,
                nalUnits: isKeyframe ? sets.completed(units) : units)
        ]
    }

    private func nalUnits(of bytes: UnsafeRawBufferPointer) -> [[UInt8]] {
        var splitter = H264.AnnexBSplitter()
        splitter.push(bytes.bytes)
        var units: [[UInt8]] = []
        while let unit = splitter.next() ?? splitter.flush() { units.append(unit) }
        return units
    }
}

extension CameraPassthroughPipeline {
    /// What the camera's frames contain.
    enum Format {
        case h264, h265

        /// `nil` for formats that are encoded here.
        init?(_ format: PixelFormat) {
            switch format {
            case .h264: self = .h264
            case .h265: self = .h265
            case .motionJPEG, .raw: return nil
            }
        }

        /// What a NAL unit is for.
        fileprivate enum Role {
            case slice, keyframeSlice, parameterSet, other
        }

        fileprivate func role(of unit: [UInt8]) -> Role {
            switch self {
            case .h264:
                guard let type = H264.NALUnitHeader(of: unit)?.type else { return .other }
                if type == .sequenceParameterSet || type == .pictureParameterSet { return .parameterSet }
                return type == .idrSlice ? .keyframeSlice : type.isVideoCodingLayer ? .slice : .other
            case .h265:
                guard let type = H265.NALUnitHeader(of: unit)?.type else { return .other }
                if type.isParameterSet { return .parameterSet }
                return type.isRandomAccessPoint ? .keyframeSlice : type.isVideoCodingLayer ? .slice : .other
            }
        }
    }
}
