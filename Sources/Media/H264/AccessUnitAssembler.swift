extension H264 {
    /// Assembles NAL units into access units of one primary picture each (ITU-T H.264, 7.4.1.2.3).
    ///
    /// The first slice of a picture is detected by comparing slice headers (7.4.1.2.4), so slices may come in any order.
    /// `push` returns the previous access unit when the next one begins; `takeAssembled` returns what is there so far.
    public struct AccessUnitAssembler: Sendable {
        /// The NAL units of an access unit, or of a further part of one.
        public struct AssembledUnit: Sendable {
            public internal(set) var units: [[UInt8]] = []
            /// The header of the first slice, which gives the output order; `nil` if the unit has no readable slice.
            public internal(set) var slice: SliceHeader?
            /// Slices of the picture so far, including earlier parts.
            public internal(set) var pictureSliceCount = 0
            /// Whether earlier NAL units of the same picture have been taken already.
            public internal(set) var isContinuation = false

            /// Whether it contains an IDR slice (NAL unit type 5), so that decoding can start here.
            public var isIDR: Bool { units.contains { NALUnitHeader(of: $0)?.type == .idrSlice } }
            /// Whether it contains picture data, not only parameter sets and SEI.
            public var hasPicture: Bool { units.contains { NALUnitHeader(of: $0)?.type.isVideoCodingLayer == true } }
        }

        /// All parameter sets seen so far.
        public private(set) var parameterSets: ParameterSetTracker
        /// Set if `push` found changed parameter sets. The owner clears it.
        public var parameterSetsChanged = false

        /// The slice count of the last complete picture, and the number of complete pictures.
        public private(set) var lastPictureSliceCount = 0
        public private(set) var completedPictureCount = 0

        private var current = AssembledUnit()
        /// The last primary slice of the current picture.
        private var previousSlice: SliceHeader?
        /// Whether the current access unit has picture data, taken or not.
        public private(set) var hasPicture = false
        private var hasMacroblockZero = false
        /// Prefix NAL units belong to the next slice, whose access unit is not known yet.
        private var heldPrefixes: [[UInt8]] = []

        public init(parameterSets: ParameterSetTracker = ParameterSetTracker()) {
            self.parameterSets = parameterSets
        }

        /// Adds the next NAL unit (empty ones are ignored); returns the previous access unit if this unit begins another.
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

        /// Takes the NAL units so far and leaves the picture open: its later slices come as a continuation.
        public mutating func takeAssembled() -> AssembledUnit? {
            guard !current.units.isEmpty else { return nil }
            let taken = current
            current = AssembledUnit()
            current.isContinuation = hasPicture
            current.slice = hasPicture ? taken.slice : nil
            current.pictureSliceCount = taken.pictureSliceCount
            return taken
        }

        /// Takes the NAL units at the end of the input or before a gap. The next NAL unit begins another access unit.
        public mutating func flush() -> AssembledUnit? {
            current.units += heldPrefixes
            heldPrefixes.removeAll()
            let finished = finish()
            return finished.units.isEmpty ? nil : finished
        }

        /// Slices of the current picture, including those already taken.
        public var openSliceCount: Int { current.pictureSliceCount }

        /// Whether a NAL unit of this type, after a picture, begins the next access unit.
        private func begins(_ type: NALUnitType, _ slice: SliceHeader?) -> Bool {
            switch type.rawValue {
            // Delimiter, parameter sets, SEI and the reserved types 15…18 (7.4.1.2.3).
            case 6...9, 15...18: return true
            case 1, 2, 5:
                guard let slice else { return false }
                if slice.picture?.redundantCount ?? 0 > 0 { return false }
                // A primary picture has each macroblock once, so a second macroblock 0 always begins another picture.
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
