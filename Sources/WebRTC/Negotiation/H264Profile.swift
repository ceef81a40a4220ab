/// A profile of H.264, as browsers tell profiles apart (RFC 6184, section 8.1, table 5).
enum H264Profile: Hashable, Sendable {
    case constrainedBaseline
    case baseline
    case main
    case constrainedHigh
    case high
    case predictiveHigh444

    /// - Parameter profileLevelID: profile_idc, the constraint flags and level_idc; `nil` for other profiles.
    init?(profileLevelID: UInt32) {
        let constraints = UInt8(truncatingIfNeeded: profileLevelID >> 8)
        switch profileLevelID >> 16 {
        case 0x42: self = constraints & 0x40 != 0 ? .constrainedBaseline : .baseline
        case 0x4D: self = constraints & 0x80 != 0 ? .constrainedBaseline : .main
        case 0x58 where constraints & 0x80 != 0: self = constraints & 0x40 != 0 ? .constrainedBaseline : .baseline
        case 0x64: self = constraints & 0x0C == 0x0C ? .constrainedHigh : .high
        case 0xF4: self = .predictiveHigh444
        default: return nil
        }
    }

    /// The profiles under which a browser decodes a stream of this one, the best first. Browsers choose a decoder by the codec, and take
    /// the profile from the stream: Chromium, which does not offer High, decodes it if it is announced as Constrained Baseline.
    var acceptable: [H264Profile] {
        switch self {
        case .constrainedBaseline: [.constrainedBaseline, .baseline, .main, .constrainedHigh, .high]
        case .baseline: [.baseline, .constrainedBaseline, .main, .constrainedHigh, .high]
        case .main: [.main, .high, .constrainedHigh, .constrainedBaseline, .baseline]
        case .constrainedHigh: [.constrainedHigh, .high, .constrainedBaseline, .main, .baseline]
        case .high: [.high, .constrainedHigh, .constrainedBaseline, .main, .baseline]
        case .predictiveHigh444: [.predictiveHigh444]
        }
    }
}
