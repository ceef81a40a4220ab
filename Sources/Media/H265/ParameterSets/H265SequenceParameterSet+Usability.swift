import Wire

/// What stands between the reordering and the video usability information of a sequence parameter set (ITU-T H.265, 7.3.2.2).
/// Nothing of it is needed, but most of it has a variable length.
extension H265.SequenceParameterSet {
    /// Goes to the video usability information; false if there is none, or if the set is truncated or damaged before it.
    @_lifetime(bits: copy bits)
    static func skipToUsability(_ bits: inout BitReader, orderBits: Int) -> Bool {
        // Sizes of coding and transform blocks, and depths of transform hierarchies.
        guard skipCodes(6, &bits), let hasScalingLists = bits.flag() else { return false }
        if hasScalingLists {
            guard let isPresent = bits.flag(), !isPresent || skipScalingLists(&bits) else { return false }
        }
        // amp_enabled_flag, sample_adaptive_offset_enabled_flag.
        guard bits.skip(2), let hasPCM = bits.flag() else { return false }
        if hasPCM { guard bits.skip(8), skipCodes(2, &bits), bits.skip(1) else { return false } }
        guard skipShortTermReferenceSets(&bits), let hasLongTerm = bits.flag() else { return false }
        if hasLongTerm {
            guard let count = bits.unsignedExpGolomb(), count <= 32, bits.skip(Int(count) * (orderBits + 1)) else {
                return false
            }
        }
        // sps_temporal_mvp_enabled_flag, strong_intra_smoothing_enabled_flag.
        return bits.skip(2) && bits.flag() == true
    }

    @_lifetime(bits: copy bits)
    private static func skipCodes(_ count: Int, _ bits: inout BitReader) -> Bool {
        for _ in 0..<count { guard bits.unsignedExpGolomb() != nil else { return false } }
        return true
    }

    /// 7.3.4.
    @_lifetime(bits: copy bits)
    private static func skipScalingLists(_ bits: inout BitReader) -> Bool {
        for size in 0..<4 {
            for _ in stride(from: 0, to: 6, by: size == 3 ? 3 : 1) {
                guard let isCoded = bits.flag() else { return false }
                // A list that is not coded refers to another; a coded one has a DC coefficient from 16×16 on.
                let count = !isCoded ? 1 : min(64, 16 << (2 * size)) + (size > 1 ? 1 : 0)
                guard skipCodes(count, &bits) else { return false }
            }
        }
        return true
    }

    /// All sets of short-term references (7.3.7), of which each may be coded as a difference to the one before.
    @_lifetime(bits: copy bits)
    private static func skipShortTermReferenceSets(_ bits: inout BitReader) -> Bool {
        guard let count = bits.unsignedExpGolomb(), count <= 64 else { return false }
        var references = 0
        for index in 0..<count {
            guard let isPredicted = index == 0 ? false : bits.flag(),
                let own = isPredicted ? predictedReferences(&bits, from: references) : codedReferences(&bits)
            else { return false }
            references = own
        }
        return true
    }

    /// - Returns: the number of references.
    @_lifetime(bits: copy bits)
    private static func predictedReferences(_ bits: inout BitReader, from previous: Int) -> Int? {
        guard bits.skip(1), bits.unsignedExpGolomb() != nil else { return nil }
        var count = 0
        for _ in 0...previous {
            // used_by_curr_pic_flag; if it is 0, use_delta_flag follows.
            guard let isUsed = bits.flag(), let isKept = isUsed ? true : bits.flag() else { return nil }
            if isKept { count += 1 }
        }
        return count
    }

    @_lifetime(bits: copy bits)
    private static func codedReferences(_ bits: inout BitReader) -> Int? {
        guard let before = bits.unsignedExpGolomb(), before <= 16, let after = bits.unsignedExpGolomb(), after <= 16
        else { return nil }
        for _ in 0..<(before + after) { guard bits.unsignedExpGolomb() != nil, bits.skip(1) else { return nil } }
        return Int(before + after)
    }
}
