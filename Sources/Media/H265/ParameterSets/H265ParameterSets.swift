extension H265 {
    /// The parameter sets that a decoder needs before the first picture, as NAL units without start codes.
    public struct ParameterSets: Hashable, Sendable {
        /// Video parameter sets; at least one.
        public let video: [[UInt8]]
        /// Sequence parameter sets; at least one, the first of which can be parsed.
        public let sequence: [[UInt8]]
        /// Picture parameter sets; at least one.
        public let picture: [[UInt8]]
        /// Profile, tier and level of the first sequence parameter set.
        public let profile: ProfileTierLevel

        /// `nil` unless there is at least one of each kind with the right NAL unit types (32, 33 and 34).
        public init?(video: [[UInt8]], sequence: [[UInt8]], picture: [[UInt8]]) {
            guard Self.areAll(video, .videoParameterSet), Self.areAll(sequence, .sequenceParameterSet),
                Self.areAll(picture, .pictureParameterSet),
                let profile = SequenceParameterSet(parsing: sequence[0])?.profile
            else { return nil }
            (self.video, self.sequence, self.picture) = (video, sequence, picture)
            self.profile = profile
        }

        /// All sets in the order in which a decoder needs them.
        public var all: [[UInt8]] { video + sequence + picture }

        private static func areAll(_ units: [[UInt8]], _ type: NALUnitType) -> Bool {
            !units.isEmpty && units.allSatisfy { NALUnitHeader(of: $0)?.type == type }
        }
    }
}
