extension H264 {
    /// The newest parameter set of each id in a stream; adds missing sets to keyframes.
    public struct ParameterSetTracker: Sendable {
        private struct StoredSet<Content: Sendable>: Sendable {
            let unit: [UInt8]
            let content: Content
        }

        /// Longer sets cannot be signalled: avcC and sprop-parameter-sets have 16-bit lengths.
        private static let maximumUnitByteCount = 0xFFFF

        private var sequence: [Int: StoredSet<SequenceParameterSet>] = [:]
        private var picture: [Int: StoredSet<PictureParameterSet>] = [:]
        /// All known sets, for `Track.Format.h264`; `nil` until there is one of each kind.
        public private(set) var parameterSets: ParameterSets?

        public init() {}

        /// Starts with sets that were signalled out of band.
        public init(_ sets: ParameterSets) {
            for unit in sets.sequence + sets.picture { _ = observe(unit) }
        }

        /// The sequence parameter set with this id, if it has been seen.
        public func sequenceSet(_ id: Int) -> SequenceParameterSet? { sequence[id]?.content }

        /// The picture parameter set with this id, if it has been seen.
        public func pictureSet(_ id: Int) -> PictureParameterSet? { picture[id]?.content }

        /// The sequence parameter set with the lowest id.
        public var firstSequenceSet: SequenceParameterSet? {
            sequence.min { $0.key < $1.key }?.value.content
        }

        /// Bytes of all known sets.
        public var byteCount: Int {
            sequence.values.reduce(0) { $0 + $1.unit.count } + picture.values.reduce(0) { $0 + $1.unit.count }
        }

        /// Inspects a NAL unit of any type. Returns true if it changed `parameterSets`; viewers must then get the new sets.
        public mutating func observe(_ unit: [UInt8]) -> Bool {
            guard unit.count <= Self.maximumUnitByteCount, store(unit) else { return false }
            let before = parameterSets
            parameterSets = ParameterSets(
                sequence: sequence.sorted { $0.key < $1.key }.map(\.value.unit),
                picture: picture.sorted { $0.key < $1.key }.map(\.value.unit))
            return parameterSets != before
        }

        private mutating func store(_ unit: [UInt8]) -> Bool {
            if let set = SequenceParameterSet(parsing: unit) {
                guard sequence[set.id]?.unit != unit else { return false }
                sequence[set.id] = StoredSet(unit: unit, content: set)
                return true
            }
            if let set = PictureParameterSet(parsing: unit) {
                guard picture[set.id]?.unit != unit else { return false }
                picture[set.id] = StoredSet(unit: unit, content: set)
                return true
            }
            return false
        }

        /// The NAL units of an IDR access unit with all known parameter sets added. Existing units are neither moved nor removed.
        ///
        /// Missing sets are inserted after the access unit delimiter; picture parameter sets also after the unit's own SPS.
        public func completed(_ units: [[UInt8]]) -> [[UInt8]] {
            let ownSequence = Set(units.compactMap { SequenceParameterSet(parsing: $0)?.id })
            let ownPicture = Set(units.compactMap { PictureParameterSet(parsing: $0)?.id })
            let missingSequence = sequence.filter { !ownSequence.contains($0.key) }
            let missingPicture = picture.filter { !ownPicture.contains($0.key) }
            guard !missingSequence.isEmpty || !missingPicture.isEmpty else { return units }
            var result = units
            let front = units.first.flatMap(NALUnitHeader.init(of:))?.type == .accessUnitDelimiter ? 1 : 0
            let lastSequenceSet = units.lastIndex { NALUnitHeader(of: $0)?.type == .sequenceParameterSet }
            let afterSequenceSets = Swift.max(front, lastSequenceSet.map { $0 + 1 } ?? 0)
            result.insert(
                contentsOf: missingPicture.sorted { $0.key < $1.key }.map(\.value.unit), at: afterSequenceSets)
            result.insert(contentsOf: missingSequence.sorted { $0.key < $1.key }.map(\.value.unit), at: front)
            return result
        }
    }
}
