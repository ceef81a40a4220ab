import Wire

extension H264 {
    /// Video usability information of a sequence parameter set (ITU-T H.264, E.1.1): display, timing and reordering.
    public struct VideoUsability: Hashable, Sendable {
        /// How frames are to be shown.
        public let signal: VideoSignal
        /// num_units_in_tick and time_scale; a frame lasts two ticks. `nil` if absent or zero.
        public let timing: Timing?
        /// max_num_reorder_frames: how many frames may precede one in decoding order and follow it in output order.
        public let reorderedFrames: Int?

        /// The duration of a tick: `unitsInTick / timeScale` seconds, both above 0.
        public struct Timing: Hashable, Sendable {
            public let unitsInTick: UInt32
            public let timeScale: UInt32

            /// The duration of a frame in nanoseconds; `nil` outside 1 ms to 10 s, because such a value is not plausible.
            public var frameNanoseconds: Int64? {
                // 2³² · 2 · 10⁹ < 2⁶³.
                let quotient = UInt64(unitsInTick) * 2_000_000_000 / UInt64(timeScale)
                return (1_000_000...10_000_000_000).contains(quotient) ? Int64(quotient) : nil
            }
        }

        /// Reads as many fields as possible; `nil` only if a field before the timing is truncated.
        @_lifetime(bits: copy bits)
        init?(reading bits: inout BitReader) {
            guard let signal = VideoSignal(reading: &bits), let hasTiming = bits.flag() else { return nil }
            self.signal = signal
            var timing: Timing?
            if hasTiming {
                guard let units = bits.bits(32), let scale = bits.bits(32), bits.flag() != nil else { return nil }
                if units > 0 && scale > 0 { timing = Timing(unitsInTick: units, timeScale: scale) }
            }
            self.timing = timing
            reorderedFrames = Self.reorderedFrames(&bits)
        }

        @_lifetime(bits: copy bits)
        private static func reorderedFrames(_ bits: inout BitReader) -> Int? {
            guard let hasNAL = bits.flag(), !hasNAL || skipReferenceDecoder(&bits),
                let hasVCL = bits.flag(), !hasVCL || skipReferenceDecoder(&bits)
            else { return nil }
            if hasNAL || hasVCL { guard bits.skip(1) else { return nil } }
            guard bits.skip(1), bits.flag() == true, bits.skip(1) else { return nil }
            for _ in 0..<4 { guard bits.unsignedExpGolomb() != nil else { return nil } }
            guard let frames = bits.unsignedExpGolomb(), frames <= 16 else { return nil }
            return Int(frames)
        }

        /// E.1.2.
        @_lifetime(bits: copy bits)
        private static func skipReferenceDecoder(_ bits: inout BitReader) -> Bool {
            guard let count = bits.unsignedExpGolomb(), count <= 31, bits.skip(8) else { return false }
            for _ in 0...count {
                guard bits.unsignedExpGolomb() != nil, bits.unsignedExpGolomb() != nil, bits.skip(1) else {
                    return false
                }
            }
            return bits.skip(20)
        }
    }
}
