extension H264 {
    /// The sequence and picture parameter sets that a decoder needs before the first picture, as NAL units without start codes.
    public struct ParameterSets: Hashable, Sendable {
        /// Sequence parameter sets, ascending by id; at least one, each at least 4 bytes.
        public let sequence: [[UInt8]]
        /// Picture parameter sets, ascending by id; at least one.
        public let picture: [[UInt8]]

        /// `nil` unless there is at least one of each kind with the right NAL unit types (7 and 8).
        public init?(sequence: [[UInt8]], picture: [[UInt8]]) {
            guard !sequence.isEmpty, !picture.isEmpty,
                sequence.allSatisfy({ $0.count >= 4 && NALUnitHeader(byte: $0[0]).type == .sequenceParameterSet }),
                picture.allSatisfy({ $0.count >= 2 && NALUnitHeader(byte: $0[0]).type == .pictureParameterSet })
            else { return nil }
            self.sequence = sequence
            self.picture = picture
        }

        /// profile_idc, the constraint flags and level_idc: bytes 1 to 3 of the first SPS. `profile-level-id` in
        /// SDP is the same in hex (RFC 6184, 8.1).
        public var profileLevelID: UInt32 {
            let sps = sequence[0]
            return UInt32(sps[1]) << 16 | UInt32(sps[2]) << 8 | UInt32(sps[3])
        }
    }
}
