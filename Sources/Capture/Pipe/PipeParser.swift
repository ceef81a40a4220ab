import Media

/// Parses a pipe's bytes and their arrival times into access units and parts of them. A pure state machine.
///
/// A unit is output as soon as its end is known, by the start of the next unit or by a pause (`WriterTiming`). A slice that
/// arrives after its frame was output becomes a further part of that frame, with the same time.
struct PipeParser: Sendable {
    /// NAL units of one frame that are output together.
    struct Output: Sendable {
        let units: [[UInt8]]
        /// The frame's first slice.
        let slice: H264.SliceHeader?
        let isIDR: Bool
        let part: AccessUnit.Part
        /// When the frame's first byte arrived.
        let arrival: MonotonicTime
    }

    private(set) var assembler = H264.AccessUnitAssembler()
    private var splitter = H264.AnnexBSplitter()
    private var writerTiming = WriterTiming()
    /// The number of NAL units that were output before they were complete; their remaining bytes were dropped.
    private(set) var brokenUnitCount = 0
    private(set) var totalByteCount = 0
    /// The number of bytes since the last pause.
    private var pieceLength = 0
    private var wasEndedByQuiet = false
    private var nextUnitArrival = MonotonicTime(nanoseconds: 0)
    private var frameArrival = MonotonicTime(nanoseconds: 0)
    private var isFrameOpen = false
    /// The slice counts of the last frames; if a frame has fewer than the smallest count, more slices will follow.
    private var sliceCounts: [Int] = []

    /// The number of bytes outside NAL units.
    var strayByteCount: Int { splitter.strayByteCount }
    var parameterSets: H264.ParameterSetTracker { assembler.parameterSets }

    /// Adds bytes that arrived at `now`, after the pipe had been empty for `gap` nanoseconds.
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

    /// How long the pipe must stay empty from now on until `quietPassed` is called; `nil` if a pause would end nothing.
    mutating func quietNanoseconds(at now: MonotonicTime) -> Int64? {
        guard let type = splitter.pendingHeader?.type, splitter.pendingMayBeComplete,
            type.isVideoCodingLayer || (assembler.hasPicture && (10...12).contains(type.rawValue))
        else { return nil }
        return writerTiming.quiet(length: pieceLength, total: totalByteCount, at: now.nanoseconds)
    }

    /// The pipe stayed empty for `quietNanoseconds`, so the last NAL unit is complete.
    mutating func quietPassed() -> [Output] {
        var outputs: [Output] = []
        guard let unit = splitter.flush() else { return [] }
        wasEndedByQuiet = true
        take(unit, into: &outputs)
        guard let gathered = assembler.takeAssembled() else { return outputs }
        let isIncomplete = gathered.pictureSliceCount < sliceCounts.min() ?? 0
        outputs.append(output(gathered, isLast: !isIncomplete))
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
        let frameCount = assembler.completedPictureCount
        if let finished = assembler.push(unit) { outputs.append(output(finished, isLast: true)) }
        if assembler.completedPictureCount != frameCount {
            sliceCounts.append(assembler.lastPictureSliceCount)
            if sliceCounts.count > 8 { sliceCounts.removeFirst() }
            isFrameOpen = false
        }
        if !isFrameOpen {
            frameArrival = nextUnitArrival
            isFrameOpen = true
        }
        if H264.NALUnitHeader(of: unit)?.type.isVideoCodingLayer == true { writerTiming.sliceEnded() }
    }

    private func output(_ gathered: H264.AccessUnitAssembler.AssembledUnit, isLast: Bool) -> Output {
        let part: AccessUnit.Part =
            gathered.isContinuation ? (isLast ? .last : .middle) : (isLast ? .whole : .first)
        return Output(
            units: gathered.units, slice: gathered.slice, isIDR: gathered.isIDR, part: part, arrival: frameArrival)
    }

    /// Learns whether a NAL unit starts after a pause, or the previous one continues.
    private mutating func noteGap(_ gap: Int64, before bytes: [UInt8], at now: MonotonicTime) {
        defer { wasEndedByQuiet = wasEndedByQuiet && bytes.allSatisfy { $0 == 0 } }
        guard gap >= WriterTiming.schedulerNoise else { return }
        defer { pieceLength = 0 }
        let isInsideUnit = splitter.pendingHeader != nil || wasEndedByQuiet
        // Zeros belong to a start code or are padding; only the first other byte counts.
        guard isInsideUnit, let first = bytes.first(where: { $0 != 0 }) else { return }
        let opensUnit = first == 1 && (bytes.first == 0 || !splitter.pendingMayBeComplete)
        guard !opensUnit else { return }
        writerTiming.unitContinued(afterGap: gap, length: pieceLength, at: now.nanoseconds)
        if wasEndedByQuiet { brokenUnitCount += 1 }
    }
}
