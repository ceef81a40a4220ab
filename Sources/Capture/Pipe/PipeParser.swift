import Media

/// Turns what arrives on a pipe, and when, into access units and parts of them. A pure machine: bytes and instants in, units out.
///
/// A unit leaves as soon as its end is known: by the next unit's beginning, or by quiet (`WriterTiming`). A slice that comes
/// after its picture has left still belongs to it and leaves as a further part with the same time.
struct PipeParser: Sendable {
    /// NAL units of one picture that leave together.
    struct Output: Sendable {
        let units: [[UInt8]]
        /// The picture's first slice.
        let slice: H264.SliceHeader?
        let isIDR: Bool
        let part: AccessUnit.Part
        /// When the picture's first byte arrived.
        let arrival: MonotonicTime
    }

    private(set) var assembler = H264.AccessUnitAssembler()
    private var splitter = H264.AnnexBSplitter()
    private var writerTiming = WriterTiming()
    /// NAL units that were taken for complete and were not: their rest was dropped.
    private(set) var brokenUnitCount = 0
    private(set) var totalByteCount = 0
    /// Bytes that came since the pipe was last silent.
    private var pieceLength = 0
    private var wasEndedByQuiet = false
    private var nextUnitArrival = MonotonicTime(nanoseconds: 0)
    private var pictureArrival = MonotonicTime(nanoseconds: 0)
    private var isPictureOpen = false
    /// Slices of the last pictures: fewer than the fewest means that more will follow.
    private var sliceCounts: [Int] = []

    /// Bytes that belonged to no NAL unit.
    var strayByteCount: Int { splitter.strayByteCount }
    var parameterSets: H264.ParameterSetTracker { assembler.parameterSets }

    /// Takes bytes that arrived at `now`, after the pipe had been empty for `gap` nanoseconds.
    mutating func received(_ bytes: [UInt8], at now: MonotonicTime, afterGap gap: Int64) -> [Output] {
        noteGap(gap, before: bytes, at: now)
        pieceLength += bytes.count
        totalByteCount &+= bytes.count
        let wasBetween = splitter.isBetweenUnits
        splitter.push(bytes)
        var outputs: [Output] = []
        if wasBetween { nextUnitArrival = now }
        while let unit = splitter.next() {
            take(unit, into: &outputs)
            nextUnitArrival = now
        }
        return outputs
    }

    /// How long the pipe must stay empty, from now on, for `quietPassed`; `nil` while quiet ends nothing.
    mutating func quietNanoseconds(at now: MonotonicTime) -> Int64? {
        guard let type = splitter.pendingHeader?.type, splitter.pendingMayBeComplete,
            type.isVideoCodingLayer || (assembler.hasPicture && (10...12).contains(type.rawValue))
        else { return nil }
        return writerTiming.quiet(length: pieceLength, total: totalByteCount, at: now.nanoseconds)
    }

    /// The pipe stayed empty for as long as `quietNanoseconds` said: what has come is complete.
    mutating func quietPassed() -> [Output] {
        var outputs: [Output] = []
        guard let unit = splitter.flush() else { return [] }
        wasEndedByQuiet = true
        take(unit, into: &outputs)
        guard let gathered = assembler.takeAssembled() else { return outputs }
        let isExpectedToGoOn = gathered.pictureSliceCount < sliceCounts.min() ?? 0
        outputs.append(output(gathered, isLast: !isExpectedToGoOn))
        return outputs
    }

    /// The input has ended.
    mutating func ended() -> [Output] {
        var outputs: [Output] = []
        if let unit = splitter.flush() { take(unit, into: &outputs) }
        if let gathered = assembler.flush() { outputs.append(output(gathered, isLast: true)) }
        return outputs
    }

    private mutating func take(_ unit: [UInt8], into outputs: inout [Output]) {
        let pictures = assembler.completedPictureCount
        if let finished = assembler.push(unit) { outputs.append(output(finished, isLast: true)) }
        if assembler.completedPictureCount != pictures {
            sliceCounts.append(assembler.lastPictureSliceCount)
            if sliceCounts.count > 8 { sliceCounts.removeFirst() }
            isPictureOpen = false
        }
        if !isPictureOpen {
            pictureArrival = nextUnitArrival
            isPictureOpen = true
        }
        if H264.NALUnitHeader(of: unit)?.type.isVideoCodingLayer == true { writerTiming.sliceEnded() }
    }

    private func output(_ gathered: H264.AccessUnitAssembler.AssembledUnit, isLast: Bool) -> Output {
        let part: AccessUnit.Part =
            gathered.isContinuation ? (isLast ? .last : .middle) : (isLast ? .whole : .first)
        return Output(
            units: gathered.units, slice: gathered.slice, isIDR: gathered.isIDR, part: part, arrival: pictureArrival)
    }

    /// Learns from what follows a pause: another NAL unit, or the rest of the one before.
    private mutating func noteGap(_ gap: Int64, before bytes: [UInt8], at now: MonotonicTime) {
        defer { wasEndedByQuiet = wasEndedByQuiet && bytes.allSatisfy { $0 == 0 } }
        guard gap >= WriterTiming.pause else { return }
        defer { pieceLength = 0 }
        let isInsideUnit = splitter.pendingHeader != nil || wasEndedByQuiet
        // Zeros open a start code, or pad: what matters is what comes behind them.
        guard isInsideUnit, let first = bytes.first(where: { $0 != 0 }) else { return }
        let opensUnit = first == 1 && (bytes.first == 0 || !splitter.pendingMayBeComplete)
        guard !opensUnit else { return }
        writerTiming.unitContinued(afterGap: gap, length: pieceLength, at: now.nanoseconds)
        if wasEndedByQuiet { brokenUnitCount += 1 }
    }
}
