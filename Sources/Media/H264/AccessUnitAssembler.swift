extension H264 {
    /// Gathers NAL units into access units: one primary picture each (ITU-T H.264, 7.4.1.2.3).
    ///
    /// Where a picture begins is told by comparing slice headers (7.4.1.2.4), so slices may come in any order.
    /// `push` hands out what the unit before had gathered; `takeAssembled` what there is, without ending the picture.
    public struct AccessUnitAssembler: Sendable {
        /// The NAL units of an access unit, or of a further part of one.
        public struct AssembledUnit: Sendable {
            public internal(set) var units: [[UInt8]] = []
            /// The first slice, whose header orders the picture; `nil` if the unit has none that can be read.
            public internal(set) var slice: SliceHeader?
            /// Slices of the whole picture up to here, earlier parts included.
            public internal(set) var pictureSliceCount = 0
            /// Whether earlier NAL units of the same picture were taken before.
            public internal(set) var isContinuation = false

            /// Whether decoding can start with this picture: it has a NAL unit of type 5.
            public var isIDR: Bool { units.contains { NALUnitHeader(of: $0)?.type == .idrSlice } }
            /// Whether it holds picture data, not only parameter sets and messages.
            public var hasPicture: Bool { units.contains { NALUnitHeader(of: $0)?.type.isVideoCodingLayer == true } }
        }

        /// All parameter sets seen so far.
        public private(set) var parameterSets: ParameterSetTracker
        /// Set when `push` saw parameter sets change; the owner clears it.
        public var parameterSetsChanged = false

        /// Slices of the last picture that was complete, and how many pictures were.
        public private(set) var lastPictureSliceCount = 0
        public private(set) var completedPictureCount = 0

        private var current = AssembledUnit()
        /// The last primary slice of the picture being gathered.
        private var previousSlice: SliceHeader?
        /// Whether the access unit being gathered has picture data, handed out or not.
        public private(set) var hasPicture = false
        private var hasMacroblockZero = false
        /// Prefix NAL units belong to the slice that follows, whose unit is not known yet.
        private var heldPrefixes: [[UInt8]] = []

        public init(parameterSets: ParameterSetTracker = ParameterSetTracker()) {
            self.parameterSets = parameterSets
        }

        /// Takes the next NAL unit (empty ones are ignored); returns the access unit before it, if this one begins another.
        public mutating func push(_ unit: [UInt8]) -> AssembledUnit? {
            guard let header = NALUnitHeader(of: unit) else { return nil }
            if header.type == .prefix {
                heldPrefixes.append(unit)
                return nil
            }
            if parameterSets.observe(unit) { parameterSetsChanged = true }
            let slice = SliceHeader(parsing: unit, with: parameterSets)
            var finished: AssembledUnit?
            if hasPicture && begins(header.type, slice) { finished = finish() }
            current.units += heldPrefixes
            heldPrefixes.removeAll()
            current.units.append(unit)
            if header.type.isVideoCodingLayer { note(slice) }
            return finished.flatMap { $0.units.isEmpty ? nil : $0 }
        }

        /// What has been gathered and not yet handed out, the picture staying open: later slices of it come as a continuation.
        public mutating func takeAssembled() -> AssembledUnit? {
            guard !current.units.isEmpty else { return nil }
            let taken = current
            current = AssembledUnit()
            current.isContinuation = hasPicture
            current.slice = hasPicture ? taken.slice : nil
            current.pictureSliceCount = taken.pictureSliceCount
            return taken
        }

        /// What has been gathered, at the end of the input or before a gap; the next NAL unit begins another access unit.
        public mutating func flush() -> AssembledUnit? {
            current.units += heldPrefixes
            heldPrefixes.removeAll()
            let finished = finish()
            return finished.units.isEmpty ? nil : finished
        }

        /// Slices of the picture that is being gathered, those handed out included.
        public var openSliceCount: Int { current.pictureSliceCount }

        /// Whether a NAL unit of this type, behind a picture, begins the next access unit.
        private func begins(_ type: NALUnitType, _ slice: SliceHeader?) -> Bool {
            switch type.rawValue {
            // Delimiter, parameter sets, messages and the reserved 15…18 (7.4.1.2.3).
            case 6...9, 15...18: return true
            case 1, 2, 5:
                guard let slice else { return false }
                if slice.picture?.redundantCount ?? 0 > 0 { return false }
                // No macroblock is coded twice in a primary picture: a second 0 is another picture, whatever else says.
                if slice.firstMacroblock == 0 && hasMacroblockZero { return true }
                return previousSlice.map(slice.beginsPicture(after:)) ?? false
            default: return false
            }
        }

        private mutating func note(_ slice: SliceHeader?) {
            hasPicture = true
            guard let slice else { return }
            current.pictureSliceCount += 1
            if current.slice == nil { current.slice = slice }
            guard slice.picture?.redundantCount ?? 0 == 0 else { return }
            previousSlice = slice
            if slice.firstMacroblock == 0 { hasMacroblockZero = true }
        }

        private mutating func finish() -> AssembledUnit {
            let finished = current
            if hasPicture {
                lastPictureSliceCount = current.pictureSliceCount
                completedPictureCount &+= 1
            }
            current = AssembledUnit()
            previousSlice = nil
            hasPicture = false
            hasMacroblockZero = false
            return finished
        }
    }
}
