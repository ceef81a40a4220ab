import Glibc
import Media

@testable import Capture
@testable import Codecs

/// libx264 behaving like a hardware encoder that reads frames in the camera driver's memory.
final class ImportingEncoder: FrameEncoder {
    enum Behaviour {
        /// Fails from this frame on.
        case reads(limit: Int = .max)
        /// Retains this many frames before reading them.
        case keeps(Int)
    }

    let model = EncoderModel(name: "importing", inputs: [.i420])
    let importsFrames = true
    /// The number of frames that came as copies.
    private(set) var copiedCount = 0
    private(set) var importedCount = 0
    private let real: LibavEncoder
    private let behaviour: Behaviour
    private var retained: [(exported: ExportedFrame, index: Int64, forcingIDR: Bool)] = []

    init(_ settings: VideoEncoderSettings, _ behaviour: Behaviour) throws(CodecFailure) {
        self.behaviour = behaviour
        real = try LibavEncoder(tested: EncoderModel(name: "libx264", inputs: [.i420]), settings)
    }

    var parameterSets: H264.ParameterSets { real.parameterSets }
    func changeBitrate(_ settings: VideoEncoderSettings) { real.changeBitrate(settings) }

    func encode(_ frame: VideoFrame, index: Int64, forcingIDR: Bool) throws(CodecFailure) -> [EncodedFrame] {
        copiedCount += 1
        return try encodeRetained(downTo: 0) + real.encode(frame, index: index, forcingIDR: forcingIDR)
    }

    func encode(_ exported: ExportedFrame, index: Int64, forcingIDR: Bool) throws(CodecFailure) -> [EncodedFrame] {
        if case .reads(let limit) = behaviour, importedCount >= limit {
            throw CodecFailure(reason: "this memory is out of reach")
        }
        importedCount += 1
        retained.append((exported, index, forcingIDR))
        if case .keeps(let count) = behaviour { return try encodeRetained(downTo: count) }
        return try encodeRetained(downTo: 0)
    }

    func finish() throws(CodecFailure) -> [EncodedFrame] { try encodeRetained(downTo: 0) + real.finish() }

    private func encodeRetained(downTo count: Int) throws(CodecFailure) -> [EncodedFrame] {
        var encoded: [EncodedFrame] = []
        while retained.count > count {
            let (exported, index, forcingIDR) = retained.removeFirst()
            encoded += try real.encode(exported.read(), index: index, forcingIDR: forcingIDR)
        }
        return encoded
    }
}

extension ExportedFrame {
    /// The frame as read through its descriptor only.
    fileprivate func read() throws(CodecFailure) -> VideoFrame {
        let frame = try VideoFrame(width: width, height: height)
        for y in 0..<height {
            let row = row(y, of: planes.luma)
            for x in 0..<width { frame.luma[x, y] = row[x] }
        }
        for y in 0..<height / 2 {
            let row = row(y, of: planes.chroma)
            for x in 0..<width / 2 { (frame.cb[x, y], frame.cr[x, y]) = (row[2 * x], row[2 * x + 1]) }
        }
        return frame
    }

    private func row(_ y: Int, of plane: Plane) -> [UInt8] {
        var row = [UInt8](repeating: 0, count: width)
        precondition(pread(buffer.descriptor, &row, width, off_t(plane.offset + y * plane.stride)) == width)
        return row
    }
}
