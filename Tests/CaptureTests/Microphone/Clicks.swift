import Codecs
import Media
import Testing

@testable import Capture

/// Silence with a click at every whole second of true time, and the positions at which a decoder finds the clicks.
struct Clicks {
    let format: SampleFormat

    /// The frames captured from `start` until `end`, in nanoseconds.
    func bytes(_ frameCount: Int, from start: Double, to end: Double) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: frameCount * format.bytesPerFrame)
        let click = (end / 1e9).rounded(.down) * 1e9
        guard click >= start, click < end else { return bytes }
        let frame = Int(Double(frameCount) * (click - start) / (end - start))
        for channel in 0..<format.channelCount {
            let place = frame * format.bytesPerFrame + channel * format.sample.byteCount
            bytes.replaceSubrange(place..<place + format.sample.byteCount, with: loud)
        }
        return bytes
    }

    private var loud: [UInt8] {
        switch format.sample {
        case .int16: withUnsafeBytes(of: Int16(29_000)) { Array($0) }
        case .int32: withUnsafeBytes(of: Int32(29_000 << 16)) { Array($0) }
        case .float32: withUnsafeBytes(of: Float(0.885)) { Array($0) }
        }
    }

    /// The decoded clicks' instants, by the second in which they were captured.
    static func instants(in units: [AccessUnit], of track: Track, epoch: MonotonicTime) throws -> [Int64: MonotonicTime]
    {
        guard case .aac(let configuration) = track.format else { return [:] }
        let decoder = try AudioDecoder(configuration)
        let resampler = Resampler(sampleRate: .audio48k, channelCount: 2)
        var instants: [Int64: MonotonicTime] = [:]
        for decoded in try units.flatMap({ try decoder.decode($0) }) {
            try resampler.push(decoded)
            guard let start = decoded.presentationTime, let frame = try resampler.take(decoded.sampleCount) else {
                continue
            }
            let loudest = frame[0].indices.max { abs(frame[0][$0]) < abs(frame[0][$1]) } ?? 0
            guard abs(frame[0][loudest]) > 0.3 else { continue }
            let instant = epoch + ClockRate.audio48k.nanoseconds(inTicks: start + Int64(loudest))
            instants[instant.nearestSecond] = instant
        }
        return instants
    }
}

extension MonotonicTime {
    var nearestSecond: Int64 { (nanoseconds + 500_000_000) / 1_000_000_000 }
}
