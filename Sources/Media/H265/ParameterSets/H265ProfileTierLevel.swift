import Wire

extension H265 {
    /// The general profile, tier and level (ITU-T H.265, 7.3.3).
    public struct ProfileTierLevel: Hashable, Sendable {
        /// general_profile_space, 0…3.
        public let space: UInt8
        /// general_tier_flag.
        public let isHighTier: Bool
        /// general_profile_idc: 1 Main, 2 Main 10, 4 range extensions.
        public let profile: UInt8
        /// general_profile_compatibility_flag, that of profile 0 first.
        public let compatibility: UInt32
        /// The 48 bits behind the compatibility flags, from general_progressive_source_flag on.
        public let constraints: UInt64
        /// general_level_idc: thirty times the level, 93 is level 3.1.
        public let level: UInt8

        /// Reads profile_tier_level() with the profile, including the levels of sub-layers.
        @_lifetime(bits: copy bits)
        init?(reading bits: inout BitReader, subLayerCount: UInt32) {
            guard let space = bits.bits(2), let isHighTier = bits.flag(), let profile = bits.bits(5),
                let compatibility = bits.bits(32), let highConstraints = bits.bits(16),
                let lowConstraints = bits.bits(32), let level = bits.bits(8), Self.skipSubLayers(subLayerCount, &bits)
            else { return nil }
            self.space = UInt8(space)
            self.isHighTier = isHighTier
            self.profile = UInt8(profile)
            self.compatibility = compatibility
            constraints = UInt64(highConstraints) << 32 | UInt64(lowConstraints)
            self.level = UInt8(level)
        }

        /// - Parameter count: sps_max_sub_layers_minus1, at most 7.
        @_lifetime(bits: copy bits)
        private static func skipSubLayers(_ count: UInt32, _ bits: inout BitReader) -> Bool {
            guard count > 0 else { return true }
            var byteCount = 0
            for _ in 0..<count {
                guard let hasProfile = bits.flag(), let hasLevel = bits.flag() else { return false }
                byteCount += (hasProfile ? 11 : 0) + (hasLevel ? 1 : 0)
            }
            // The flags of eight sub-layers are always there.
            return bits.skip(2 * (8 - Int(count)) + 8 * byteCount)
        }
    }
}
