/// The span of time that a `Range` header or an `a=range` line names (RFC 2326, sections 3.5–3.7 and 12.29).
public enum RangeHeader: Hashable, Sendable {
    /// Normal play time; either end may be open, not both.
    case npt(from: NormalPlayTime?, to: NormalPlayTime?)
    /// Absolute time, in nanoseconds since 1970-01-01 00:00 UTC.
    case clock(from: Int64, to: Int64?)
    /// SMPTE time codes, as they were written after `smpte=` (or `smpte-30-drop=`, `smpte-25=`).
    case smpte(unit: String, from: String, to: String?)

    /// A live stream from now on.
    public static let live = RangeHeader.npt(from: .now, to: nil)
}

/// An instant of normal play time (RFC 2326, section 3.6).
public enum NormalPlayTime: Hashable, Sendable {
    case now
    /// Nanoseconds since the beginning of the presentation, not negative.
    case nanoseconds(Int64)
}
