import Wire

extension H264 {
    /// Cuts a byte stream into NAL units at its start codes (ITU-T H.264, Annex B). Push bytes, then drain `next()`.
    ///
    /// The end of a NAL unit is known only at the next start code, or when the owner says so: `flush()`.
    /// Zero bytes behind a NAL unit are padding and dropped; bytes that follow no start code are counted and dropped.
    public struct AnnexBSplitter: Sendable {
        /// Bytes a NAL unit may have: one coded picture at level 6.2 stays below; past it the unit is dropped.
        public static let maximumUnitByteCount = 16 << 20

        private var buffer: [UInt8] = []
        /// Where the NAL unit being gathered begins, behind its start code.
        private var start = 0
        /// Bytes before this index hold no start code that has not been seen.
        private var scanned = 0
        private var isInsideUnit = false
        /// Bytes that belonged to no NAL unit, so far: junk before the first start code, or the rest of a unit ended too early.
        public private(set) var strayByteCount = 0
        /// NAL units longer than `maximumUnitByteCount`, so far.
        public private(set) var oversizedUnitCount = 0

        public init() {}

        /// Appends input, cut anywhere.
        public mutating func push(_ bytes: RawSpan) {
            compact()
            buffer.append(bytes)
        }

        /// Appends input, cut anywhere.
        public mutating func push(_ bytes: [UInt8]) {
            push(bytes.rawSpan)
        }

        /// The next NAL unit whose end has been seen, without start code; `nil` when more bytes are needed.
        public mutating func next() -> [UInt8]? {
            while let code = findStartCode() {
                let unit = takeUnit(endingAt: code)
                start = code + 3
                scanned = start
                isInsideUnit = true
                if let unit { return unit }
            }
            dropIrrelevantUnits()
            return nil
        }

        /// The NAL unit gathered so far, taken as complete: at the end of the input, or because the writer fell silent.
        ///
        /// If it was not complete, its rest is counted as stray and dropped.
        public mutating func flush() -> [UInt8]? {
            let unit = takeUnit(endingAt: buffer.count)
            // The zeros may open the next start code: they stay.
            let zeros = trailingZeros(before: buffer.count, downTo: start)
            buffer.removeFirst(buffer.count - zeros)
            start = 0
            scanned = 0
            isInsideUnit = false
            return unit
        }

        /// First byte of the NAL unit being gathered; `nil` before its start code is complete.
        public var pendingHeader: NALUnitHeader? {
            isInsideUnit && start < buffer.count ? NALUnitHeader(byte: buffer[start]) : nil
        }

        /// Whether the unit being gathered could end with its last byte: none ends in zero (7.4.1).
        public var pendingMayBeComplete: Bool {
            isInsideUnit && start + 1 < buffer.count && buffer[buffer.count - 1] != 0
        }

        /// Whether bytes have come that no start code has yet given a meaning.
        public var isBetweenUnits: Bool { !isInsideUnit }

        /// Index of the next `00 00 01`.
        private mutating func findStartCode() -> Int? {
            var index = scanned
            let last = buffer.count - 3
            while index <= last {
                // The third byte decides how far the next start code is away at least.
                let third = buffer[index + 2]
                if third > 1 {
                    index += 3
                } else if third == 1 {
                    if buffer[index] == 0 && buffer[index + 1] == 0 { return index }
                    index += 3
                } else {
                    index += 1
                }
            }
            scanned = Swift.max(start, index)
            return nil
        }

        /// The unit from `start` to `end` without padding; `nil` if there is none.
        private mutating func takeUnit(endingAt end: Int) -> [UInt8]? {
            let padding = trailingZeros(before: end, downTo: start)
            guard isInsideUnit else {
                strayByteCount += end - padding - start
                return nil
            }
            let trimmed = end - padding
            guard trimmed > start else { return nil }
            guard trimmed - start <= Self.maximumUnitByteCount else {
                oversizedUnitCount += 1
                return nil
            }
            return Array(buffer[start..<trimmed])
        }

        private func trailingZeros(before end: Int, downTo lowest: Int) -> Int {
            var index = end
            while index > lowest && buffer[index - 1] == 0 { index -= 1 }
            return end - index
        }

        /// Keeps memory bounded: outside a unit, and in one that is too long, only the bytes that may open a start code stay.
        private mutating func dropIrrelevantUnits() {
            let isTooLong = buffer.count - start > Self.maximumUnitByteCount
            guard !isInsideUnit || isTooLong else { return }
            let zeros = trailingZeros(before: buffer.count, downTo: start)
            let kept = Swift.min(zeros, 2)
            if isInsideUnit { oversizedUnitCount += 1 }
            strayByteCount += buffer.count - start - zeros
            isInsideUnit = false
            buffer.removeFirst(buffer.count - kept)
            start = 0
            scanned = 0
        }

        private mutating func compact() {
            guard start > 0 else { return }
            buffer.removeFirst(start)
            scanned -= start
            start = 0
        }
    }
}
