import Glibc
import Media

@testable import Capture
@testable import Codecs

/// libx264 behind an encoder whose device reads pictures where the camera's driver has put them.
final class ImportingEncoder: FrameEncoder {
    enum Behaviour {
        /// It refuses from so many pictures on.
        case reads(limit: Int = .max)
        /// It keeps so many, and reads each only then.
        case keeps(Int)
    }

    let model = EncoderModel(name: "importing", inputs: [.i420])
    let importsFrames = true
    /// Pictures that came in memory.
    private(set) var copiedCount = 0
    private(set) var importedCount = 0
    private let real: LibavEncoder
    private let manner: Behaviour
    private var kept: [(picture: ExportedFrame, index: Int64, forcingIDR: Bool)] = []

    init(_ settings: VideoEncoder.Settings, _ manner: Behaviour) throws(CodecFailure) {
        self.manner = manner
        real = try LibavEncoder(tested: EncoderModel(name: "libx264", inputs: [.i420]), settings)
    }

    var parameterSets: H264.ParameterSets { real.parameterSets }
    func changeBitrate(_ settings: VideoEncoder.Settings) { real.changeBitrate(settings) }

    func encode(_ frame: VideoFrame, index: Int64, forcingIDR: Bool) throws(CodecFailure) -> [EncodedFrame] {
        copiedCount += 1
        return try encodeRetained(downTo: 0) + real.encode(frame, index: index, forcingIDR: forcingIDR)
    }

    func encode(_ picture: ExportedFrame, index: Int64, forcingIDR: Bool) throws(CodecFailure) -> [EncodedFrame] {
        if case .reads(let limit) = manner, importedCount >= limit {
            throw CodecFailure(reason: "this memory is too far away")
        }
        importedCount += 1
        kept.append((picture, index, forcingIDR))
        if case .keeps(let count) = manner { return try encodeRetained(downTo: count) }
        return try encodeRetained(downTo: 0)
    }

    func finish() throws(CodecFailure) -> [EncodedFrame] { try encodeRetained(downTo: 0) + real.finish() }

    private func encodeRetained(downTo count: Int) throws(CodecFailure) -> [EncodedFrame] {
        var encoded: [EncodedFrame] = []
        while kept.count > count {
            let (picture, index, forcingIDR) = kept.removeFirst()
            encoded += try real.encode(picture.read(), index: index, forcingIDR: forcingIDR)
        }
        return encoded
    }
}

extension ExportedFrame {
    /// The picture as whoever has only its descriptor sees it.
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
