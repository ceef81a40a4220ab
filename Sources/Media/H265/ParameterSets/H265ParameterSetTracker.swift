extension H265 {
    /// The newest parameter set of each id in a stream; adds missing sets to keyframes.
    public struct ParameterSetTracker: ParameterSetTracking {
        private struct StoredSet<Content: Sendable>: Sendable {
            let unit: [UInt8]
            let content: Content
        }

        /// Longer sets cannot be signalled: hvcC has 16-bit lengths.
        private static let maximumUnitByteCount = 0xFFFF

        private var video: [Int: StoredSet<VideoParameterSet>] = [:]
        private var sequence: [Int: StoredSet<SequenceParameterSet>] = [:]
        private var picture: [Int: StoredSet<PictureParameterSet>] = [:]
        /// All known sets, for `Track.Format.h265`; `nil` until there is one of each kind.
        public private(set) var parameterSets: ParameterSets?

        public init() {}

        /// Starts with sets that were signalled out of band.
        public init(_ sets: ParameterSets) {
            for unit in sets.all { _ = observe(unit) }
        }

        public var format: Track.Format? { parameterSets.map { .h265($0) } }

        public static func isParameterSet(firstByte: UInt8) -> Bool { NALUnitType(firstByte: firstByte).isParameterSet }

        /// The sequence parameter set with this id, if it has been seen.
        public func sequenceSet(_ id: Int) -> SequenceParameterSet? { sequence[id]?.content }

        /// The picture parameter set with this id, if it has been seen.
        public func pictureSet(_ id: Int) -> PictureParameterSet? { picture[id]?.content }

        public var byteCount: Int {
            [Self.units(video), Self.units(sequence), Self.units(picture)].joined().reduce(0) { $0 + $1.count }
        }

        public mutating func observe(_ unit: [UInt8]) -> Bool {
            guard unit.count <= Self.maximumUnitByteCount, store(unit) else { return false }
            let before = parameterSets
            parameterSets = ParameterSets(
                video: Self.units(video), sequence: Self.units(sequence), picture: Self.units(picture))
            return parameterSets != before
        }

        private static func units<Content>(_ sets: [Int: StoredSet<Content>]) -> [[UInt8]] {
            sets.sorted { $0.key < $1.key }.map(\.value.unit)
        }

        private mutating func store(_ unit: [UInt8]) -> Bool {
            if let set = VideoParameterSet(parsing: unit) {
                return Self.store(unit, set, set.id, in: &video)
            } else if let set = SequenceParameterSet(parsing: unit) {
                return Self.store(unit, set, set.id, in: &sequence)
            } else if let set = PictureParameterSet(parsing: unit) {
                return Self.store(unit, set, set.id, in: &picture)
            }
            return false
        }

        private static func store<Content>(
            _ unit: [UInt8], _ content: Content, _ id: Int, in sets: inout [Int: StoredSet<Content>]
        ) -> Bool {
            guard sets[id]?.unit != unit else { return false }
            sets[id] = StoredSet(unit: unit, content: content)
            return true
        }

        /// The NAL units of a keyframe with all known parameter sets that it lacks added, behind its delimiter and in the
        /// order in which a decoder needs them. Sets of a kind come before the first unit of the next kind.
        public func completed(_ units: [[UInt8]]) -> [[UInt8]] {
            var result = units
            let kinds: [(NALUnitType, [[UInt8]])] = [
                (.videoParameterSet, missing(video, in: units) { VideoParameterSet(parsing: $0)?.id }),
                (.sequenceParameterSet, missing(sequence, in: units) { SequenceParameterSet(parsing: $0)?.id }),
                (.pictureParameterSet, missing(picture, in: units) { PictureParameterSet(parsing: $0)?.id }),
            ]
            let types = { (unit: [UInt8]) in NALUnitHeader(of: unit)?.type }
            for (type, missing) in kinds where !missing.isEmpty {
                // Behind the delimiter and the sets of this kind and those before.
                let last = result.lastIndex { unit in
                    types(unit).map { $0 == .accessUnitDelimiter || $0.isParameterSet && $0.rawValue <= type.rawValue }
                        ?? false
                }
                result.insert(contentsOf: missing, at: last.map { $0 + 1 } ?? 0)
            }
            return result
        }

        private func missing<Content>(
            _ sets: [Int: StoredSet<Content>], in units: [[UInt8]], _ id: ([UInt8]) -> Int?
        ) -> [[UInt8]] {
            let own = Set(units.compactMap(id))
            return Self.units(sets.filter { !own.contains($0.key) })
        }
    }
}
