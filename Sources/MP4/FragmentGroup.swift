import Media
import Wire

/// Successive fragments of one packager joined into one, with a `traf` for each track: a part of a segment of HLS.
///
/// Some players (VLC 3) take the decode time of each track from the first `moof` of a segment alone. And 16 samples need 500 bytes of
/// boxes less in one fragment than in 16.
///
/// ```
/// |<------------------- boxes -------------------->|<------------- payload ------------->|
/// | prft of the first | moof with a traf per track | mdat: samples of the first track, … |
/// ```
public struct FragmentGroup<Storage: FragmentStorage> {
    /// The fragments of one track.
    private struct Run {
        var fragments: [MP4Fragment<Storage>]
        let hasSampleFlags: Bool
        let hasCompositionOffset: Bool

        var sampleCount: Int { fragments.reduce(0) { $0 + $1.sampleCount } }
        var payloadByteCount: Int { fragments.reduce(0) { $0 + $1.byteCount - $1.boxesByteCount } }
        /// Bytes of a sample's entry: duration and size, and perhaps flags and composition offset.
        var entryByteCount: Int { 8 + (hasSampleFlags ? 4 : 0) + (hasCompositionOffset ? 4 : 0) }
        /// Bytes of `traf`.
        var byteCount: Int { 8 + 16 + 20 + 20 + sampleCount * entryByteCount }
    }

    private let runs: [Run]
    private let sequenceNumber: UInt32
    private let first: MP4Fragment<Storage>

    /// `nil` if there are no fragments.
    ///
    /// - Parameter sequenceNumber: the number of the joined fragment, which counts from 1.
    public init?(_ fragments: [MP4Fragment<Storage>], sequenceNumber: UInt32) {
        guard let first = fragments.first else { return nil }
        (self.first, self.sequenceNumber) = (first, sequenceNumber)
        var tracks: [TrackID] = []
        for fragment in fragments where !tracks.contains(fragment.track) { tracks.append(fragment.track) }
        runs = tracks.map { track in
            let own = fragments.filter { $0.track == track }
            return Run(
                fragments: own, hasSampleFlags: own[0].kind == .video,
                hasCompositionOffset: own.contains { $0.hasCompositionOffset })
        }
    }

    private var movieFragmentByteCount: Int { runs.reduce(8 + 16) { $0 + $1.byteCount } }
    private var payloadByteCount: Int { runs.reduce(0) { $0 + $1.payloadByteCount } }

    /// The number of bytes that `write` writes.
    public var byteCount: Int { first.captureTimeByteCount + movieFragmentByteCount + 8 + payloadByteCount }

    @_lifetime(output: copy output)
    public func write(to output: inout OutputRawSpan) {
        output.append(first.bytes.rawSpan.extracting(0..<first.captureTimeByteCount))
        output.append(uint32: UInt32(truncatingIfNeeded: movieFragmentByteCount))
        output.append(uint32: BoxType.moof.rawValue)
        output.append(uint32: 16)
        output.append(uint32: BoxType.mfhd.rawValue)
        output.append(uint32: 0)
        output.append(uint32: sequenceNumber)
        var dataOffset = movieFragmentByteCount + 8
        for run in runs {
            write(run, dataOffset: dataOffset, to: &output)
            dataOffset += run.payloadByteCount
        }
        output.append(uint32: UInt32(truncatingIfNeeded: 8 + payloadByteCount))
        output.append(uint32: BoxType.mdat.rawValue)
        for run in runs {
            for fragment in run.fragments {
                output.append(fragment.bytes.rawSpan.extracting(fragment.boxesByteCount..<fragment.byteCount))
            }
        }
    }

    @_lifetime(output: copy output)
    private func write(_ run: Run, dataOffset: Int, to output: inout OutputRawSpan) {
        output.append(uint32: UInt32(truncatingIfNeeded: run.byteCount))
        output.append(uint32: BoxType.traf.rawValue)
        // tfhd and tfdt are those of the first fragment.
        let header = run.fragments[0]
        output.append(header.bytes.rawSpan.extracting(header.trackHeaderRange))
        output.append(uint32: UInt32(truncatingIfNeeded: 20 + run.sampleCount * run.entryByteCount))
        output.append(uint32: BoxType.trun.rawValue)
        let flags: UInt32 = 0x301 | (run.hasSampleFlags ? 0x400 : 0) | (run.hasCompositionOffset ? 0x800 : 0)
        output.append(uint32: 1 << 24 | flags)
        output.append(uint32: UInt32(truncatingIfNeeded: run.sampleCount))
        output.append(uint32: UInt32(truncatingIfNeeded: dataOffset))
        // The decode time so far, which is a sum of durations.
        var decodeTime = run.fragments[0].decodeTime.ticks
        for (index, fragment) in run.fragments.enumerated() {
            let next = index + 1 < run.fragments.count ? run.fragments[index + 1].decodeTime.ticks : nil
            // What is decoded at another time than in its own fragment is shown at the same time.
            let shift = fragment.decodeTime.ticks &- decodeTime
            for number in 0..<fragment.sampleCount {
                let sample = fragment.sample(number)
                let isLast = number == fragment.sampleCount - 1
                var duration = Int64(sample.duration)
                if isLast, let next { duration = max(1, next &- decodeTime) }
                output.append(uint32: UInt32(clamping: duration))
                output.append(uint32: sample.byteCount)
                if run.hasSampleFlags { output.append(uint32: sample.flags) }
                if run.hasCompositionOffset {
                    output.append(uint32: UInt32(bitPattern: Int32(clamping: Int64(sample.compositionOffset) &+ shift)))
                }
                decodeTime &+= duration
            }
        }
    }
}

/// The fields of a fragment of one track, as ``Fragment`` writes them: `prft` if there is one, `moof` (8), `mfhd` (16), `traf` (8), `tfhd`
/// (16), `tfdt` (20), `trun` (20 and the entries).
extension MP4Fragment {
    /// An entry of `trun`.
    fileprivate struct Entry {
        var duration: UInt32 = 0
        var byteCount: UInt32 = 0
        var flags: UInt32 = 0
        var compositionOffset: Int32 = 0
    }

    private var runOffset: Int { captureTimeByteCount + 8 + 16 + 8 + 16 + 20 }

    /// `tfhd` and `tfdt`.
    fileprivate var trackHeaderRange: Range<Int> { (runOffset - 36)..<runOffset }

    fileprivate var sampleCount: Int { Int(number(at: runOffset + 12)) }

    fileprivate var hasCompositionOffset: Bool { number(at: runOffset + 8) & 0x800 != 0 }

    fileprivate func sample(_ index: Int) -> Entry {
        let isVideo = kind == .video
        let entryByteCount = 8 + (isVideo ? 4 : 0) + (hasCompositionOffset ? 4 : 0)
        let offset = runOffset + 20 + index * entryByteCount
        var entry = Entry(duration: number(at: offset), byteCount: number(at: offset + 4))
        if isVideo { entry.flags = number(at: offset + 8) }
        if hasCompositionOffset { entry.compositionOffset = Int32(bitPattern: number(at: offset + (isVideo ? 12 : 8))) }
        return entry
    }

    private func number(at offset: Int) -> UInt32 {
        let span = bytes.rawSpan
        var number: UInt32 = 0
        for index in 0..<4 { number = number << 8 | UInt32(span.byte(at: offset + index)) }
        return number
    }
}
