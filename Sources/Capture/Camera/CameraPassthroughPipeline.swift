import Media
import Streams

/// Passes on the H.264 of a camera that has an encoder, unchanged: each of its frames is one access unit in Annex B format.
final class CameraPassthroughPipeline: CameraPipeline {
    private(set) var fault: FrameFault?
    /// False because each frame refers to the one before.
    let mayDrop = false
    let passesThrough = true
    let revision = 0
    private let control: EncoderControl
    private var sets = H264.ParameterSetTracker()

    init(control: EncoderControl) {
        self.control = control
    }

    var needsReopening: Bool { control.settings.hasEffects }

    var tracks: [Track]? {
        sets.parameterSets.map { [Track(id: cameraVideoTrack, format: .h264($0))] }
    }

    func units(of frame: CameraFrame, at time: MediaTime, skipped: Int) throws(SourceFailure) -> [AccessUnit] {
        fault = nil
        guard let bytes = frame.planes.first, !bytes.isEmpty else {
            fault = .empty
            return []
        }
        let units = nalUnits(of: bytes)
        for unit in units { _ = sets.observe(unit) }
        let types = units.compactMap { H264.NALUnitHeader(of: $0)?.type }
        guard types.contains(where: \.isVideoCodingLayer) else {
            // Some cameras send their parameter sets as a separate frame.
            fault = types.contains(.sequenceParameterSet) ? nil : .undecodable
            return []
        }
        let isKeyframe = types.contains(.idrSlice)
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
