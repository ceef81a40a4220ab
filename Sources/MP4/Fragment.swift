import Media
import Wire

/// A movie fragment with its media data (ISO/IEC 14496-12, 8.8; the CMAF chunk of ISO/IEC 23000-19, 7.3.2.3): counted, and ready to
/// be written.
///
/// ```
/// |<---------------- boxes ----------------->|<--------------- payload --------------->|
/// | prft, if capture  | moof  | mdat: header | samples of the first  | of the second … |
/// | time is known: 32 |       | 8            | track                 |                 |
///
/// moof, with a traf per track:
///
/// | moof | mfhd     | traf | tfhd  | tfdt        | trun                               |
/// |      | sequence |      | track | decode time | for each sample: duration, size,   |
/// | 8    | 16       | 8    | 16    | 20          | flags, composition offset          |
/// ```
public struct Fragment: Sendable {
    let sequenceNumber: UInt32
    let reference: ProducerReferenceTime?
    let first: SampleRun
    private let rest: [SampleRun]

    init(_ sequenceNumber: UInt32, captured: NTPTime?, _ first: SampleRun, _ rest: [SampleRun] = []) {
        self.sequenceNumber = sequenceNumber
        reference = captured.map {
            ProducerReferenceTime(
                track: first.track.number, captured: $0,
                mediaTime: MovieTime.ticks(first.decodeTime) &+ UInt64(bitPattern: Int64(first[0].compositionOffset)))
        }
        self.first = first
        self.rest = rest
    }

    /// Bytes before the payload.
    public var boxesByteCount: Int {
        (reference == nil ? 0 : ProducerReferenceTime.byteCount) + movieFragmentByteCount + Self.boxByteCount
    }

    /// Bytes of all samples.
    public var payloadByteCount: Int { rest.reduce(first.byteCount) { $0 + $1.byteCount } }

    /// The number of bytes that `write` writes.
    public var byteCount: Int { boxesByteCount + payloadByteCount }

    /// Ticks of the first track's samples.
    public var duration: Int64 { first.duration }

    /// Bytes of a box's size and type.
    private static let boxByteCount = 8

    private var movieFragmentByteCount: Int {
        rest.reduce(Self.boxByteCount + 16 + first.trackFragmentByteCount) { $0 + $1.trackFragmentByteCount }
    }

    @_lifetime(output: copy output)
    public func write(to output: inout OutputRawSpan) {
        reference?.write(to: &output)
        // All sizes are below 4 GB: the packager refuses larger units.
        output.appendBox(.moof, byteCount: movieFragmentByteCount)
        output.appendFullBox(.mfhd, byteCount: 16)
        output.append(uint32: sequenceNumber)
        var dataOffset = movieFragmentByteCount + Self.boxByteCount
        first.writeTrackFragment(dataOffset: dataOffset, to: &output)
        dataOffset += first.byteCount
        for run in rest {
            run.writeTrackFragment(dataOffset: dataOffset, to: &output)
            dataOffset += run.byteCount
        }
        output.appendBox(.mdat, byteCount: Self.boxByteCount + payloadByteCount)
        first.write(to: &output)
        for run in rest { run.write(to: &output) }
    }
}

extension SampleRun {
    /// Which fields a sample has in `trun`. Samples of audio all are sync samples, which is the track's default.
    private struct Fields {
        let flags: UInt32
        let hasSampleFlags: Bool
        let hasCompositionOffset: Bool
        /// Bytes of each sample.
        let byteCount: Int

        init(_ run: SampleRun) {
            let isVideo = run.track.isVideo
            hasSampleFlags = isVideo
            hasCompositionOffset = isVideo || (0..<run.count).contains { run[$0].compositionOffset != 0 }
            // data_offset; for each sample duration and size.
            flags = 0x301 | (hasSampleFlags ? 0x400 : 0) | (hasCompositionOffset ? 0x800 : 0)
            byteCount = 8 + (hasSampleFlags ? 4 : 0) + (hasCompositionOffset ? 4 : 0)
        }
    }

    /// Bytes of `traf`.
    var trackFragmentByteCount: Int { 8 + 16 + 20 + 20 + count * Fields(self).byteCount }

    /// - Parameter dataOffset: bytes from the start of `moof` to the first sample.
    @_lifetime(output: copy output)
    func writeTrackFragment(dataOffset: Int, to output: inout OutputRawSpan) {
        let fields = Fields(self)
        output.appendBox(.traf, byteCount: trackFragmentByteCount)
        // default-base-is-moof.
        output.appendFullBox(.tfhd, flags: 0x02_0000, byteCount: 16)
        output.append(uint32: track.number)
        output.appendFullBox(.tfdt, version: 1, byteCount: 20)
        output.append(uint64: MovieTime.ticks(decodeTime))
        // Version 1: composition offsets are signed.
        output.appendFullBox(.trun, version: 1, flags: fields.flags, byteCount: 20 + count * fields.byteCount)
        output.append(uint32: UInt32(truncatingIfNeeded: count))
        output.append(uint32: UInt32(truncatingIfNeeded: dataOffset))
        for index in 0..<count {
            let sample = self[index]
            output.append(uint32: sample.duration)
            output.append(uint32: sample.byteCount)
            if fields.hasSampleFlags {
                output.append(uint32: (sample.isSync ? SampleFlags.sync : .other).rawValue)
            }
            if fields.hasCompositionOffset { output.append(uint32: UInt32(bitPattern: sample.compositionOffset)) }
        }
    }
}

extension OutputRawSpan {
    @_lifetime(self: copy self)
    fileprivate mutating func appendBox(_ type: BoxType, byteCount: Int) {
        append(uint32: UInt32(truncatingIfNeeded: byteCount))
        append(uint32: type.rawValue)
    }

    @_lifetime(self: copy self)
    fileprivate mutating func appendFullBox(
        _ type: BoxType, version: UInt8 = 0, flags: UInt32 = 0, byteCount: Int
    ) {
        appendBox(type, byteCount: byteCount)
        append(uint32: UInt32(version) << 24 | flags)
    }
}
