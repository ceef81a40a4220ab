import Wire

extension H264 {
    /// Splits a byte stream into NAL units at its start codes (ITU-T H.264, Annex B). Push bytes, then call `next()` until `nil`.
    ///
    /// The end of a NAL unit is known at the next start code, or when the owner calls `flush()`.
    /// Zero bytes behind a NAL unit are padding and are dropped. Bytes without a start code are counted and dropped.
    public struct AnnexBSplitter: Sendable {
        /// The maximum size of a NAL unit; a picture at level 6.2 is smaller. Larger units are dropped.
        public static let maximumUnitByteCount = 16 << 20

        private var buffer: [UInt8] = []
        /// The start of the current NAL unit, behind its start code.
        private var start = 0
        /// Bytes before this index have been searched for start codes.
        private var scanned = 0
        private var isInsideUnit = false
        /// Bytes outside NAL units so far: before the first start code, or the rest of a unit that was ended too early.
        public private(set) var strayByteCount = 0
        /// The number of NAL units longer than `maximumUnitByteCount` so far.
        public private(set) var oversizedUnitCount = 0
        /// Bytes that were pushed before those in the buffer.
        private var droppedByteCount = 0
        /// Bytes that were pushed before the last NAL unit that was returned.
        public private(set) var lastUnitOffset = 0
        /// Bytes that were pushed so far.
        public var pushedByteCount: Int { droppedByteCount + buffer.count }

        public init() {}

        /// Appends input, split at any place.
        public mutating func push(_ bytes: RawSpan) {
            compact()
            buffer.append(bytes)
        }

        /// Appends input, split at any place.
        public mutating func push(_ bytes: [UInt8]) {
            push(bytes.rawSpan)
        }

        /// The next complete NAL unit without its start code; `nil` if more bytes are needed.
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

        /// Ends the current NAL unit: at the end of the input, or because the writer paused.
        ///
        /// If the unit was not complete, its rest is counted as stray bytes and dropped.
        public mutating func flush() -> [UInt8]? {
            let unit = takeUnit(endingAt: buffer.count)
            // The zeros may belong to the next start code, so they are kept.
            let zeros = trailingZeros(before: buffer.count, downTo: start)
            drop(buffer.count - zeros)
            start = 0
            scanned = 0
            isInsideUnit = false
            return unit
        }

        /// The first byte of the current NAL unit; `nil` before its start code is complete.
        public var pendingHeader: NALUnitHeader? {
            isInsideUnit && start < buffer.count ? NALUnitHeader(byte: buffer[start]) : nil
        }

        /// Whether the current unit could end with its last byte: no NAL unit ends in zero (7.4.1).
        public var pendingMayBeComplete: Bool {
            isInsideUnit && start + 1 < buffer.count && buffer[buffer.count - 1] != 0
        }

        /// Whether there are bytes that belong to no complete NAL unit yet.
        public var isBetweenUnits: Bool { !isInsideUnit }

        private mutating func findStartCode() -> Int? {
            let (code, searched) = Self.startCode(in: buffer, from: scanned)
            if code == nil { scanned = Swift.max(start, searched) }
            return code
        }

        /// The index of the first `00 00 01` at or after `index`, and the index before which there is certainly none.
        public static func startCode(in bytes: [UInt8], from index: Int) -> (code: Int?, searched: Int) {
            var index = index
            while index <= bytes.count - 3 {
                // The third byte gives the minimum distance to the next start code.
                let third = bytes[index + 2]
                if third > 1 {
                    index += 3
                } else if third == 1 {
                    if bytes[index] == 0 && bytes[index + 1] == 0 { return (index, index) }
                    index += 3
                } else {
                    index += 1
                }
            }
            return (nil, index)
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
            lastUnitOffset = droppedByteCount + start
            return Array(buffer[start..<trimmed])
        }

        private func trailingZeros(before end: Int, downTo lowest: Int) -> Int {
            var index = end
            while index > lowest && buffer[index - 1] == 0 { index -= 1 }
            return end - index
        }

        /// Bounds the memory: outside a unit, or in one that is too long, only bytes that may begin a start code are kept.
        private mutating func dropIrrelevantUnits() {
            let isTooLong = buffer.count - start > Self.maximumUnitByteCount
            guard !isInsideUnit || isTooLong else { return }
            let zeros = trailingZeros(before: buffer.count, downTo: start)
            let kept = Swift.min(zeros, 2)
            if isInsideUnit { oversizedUnitCount += 1 }
            strayByteCount += buffer.count - start - zeros
            isInsideUnit = false
            drop(buffer.count - kept)
            start = 0
            scanned = 0
        }

        private mutating func compact() {
            guard start > 0 else { return }
            drop(start)
            scanned -= start
            start = 0
        }

        private mutating func drop(_ byteCount: Int) {
            buffer.removeFirst(byteCount)
            droppedByteCount += byteCount
        }
    }
}
