/// The time range of a `Range` header or an `a=range` line (RFC 2326, sections 3.5–3.7 and 12.29).
public enum RangeHeader: Hashable, Sendable {
    /// Normal play time. One end may be open.
    case npt(from: NormalPlayTime?, to: NormalPlayTime?)
    /// Absolute time, in nanoseconds since 1970-01-01 00:00 UTC.
    case clock(from: Int64, to: Int64?)
    /// SMPTE time codes as written after `smpte=` (or `smpte-30-drop=`, `smpte-25=`).
    case smpte(unit: String, from: String, to: String?)

    /// The range of a live stream: from now on.
    public static let live = RangeHeader.npt(from: .now, to: nil)
}

/// A point in normal play time (RFC 2326, section 3.6).
public enum NormalPlayTime: Hashable, Sendable {
    case now
    /// Nanoseconds since the beginning of the presentation, not negative.
    case nanoseconds(Int64)
}

extension RangeHeader {
    /// Reads `npt=…`, `clock=…` or `smpte…=…`; `nil` for anything else. A following `;time=` is ignored.
    public init?(_ text: String) {
        guard let (unit, span) = text.pieces(separatedBy: ";").first?.halves(around: "="),
            let (from, to) = span.halves(around: "-")
        else { return nil }
        if unit.equalsIgnoringCase("npt") {
            self.init(nptFrom: from, to: to)
        } else if unit.equalsIgnoringCase("clock") {
            self.init(clockFrom: from, to: to)
        } else if unit.hasPrefixIgnoringCase("smpte"), !from.isEmpty {
            self = .smpte(unit: unit.lowercased(), from: String(from), to: to.isEmpty ? nil : String(to))
        } else {
            return nil
        }
    }

    private init?(nptFrom from: Substring, to: Substring) {
        let (start, end) = (NormalPlayTime(from), NormalPlayTime(to))
        // Each end is a time or empty, but not both are empty.
        guard start != nil || from.isEmpty, end != nil || to.isEmpty, start != nil || end != nil else { return nil }
        self = .npt(from: start, to: end)
    }

    private init?(clockFrom from: Substring, to: Substring) {
        guard let start = UTCTime.unixNanoseconds(from) else { return nil }
        let end = UTCTime.unixNanoseconds(to)
        guard end != nil || to.isEmpty else { return nil }
        self = .clock(from: start, to: end)
    }

    /// The header's value.
    public var headerValue: String {
        switch self {
        case .npt(let from, let to): "npt=\(from?.text ?? "")-\(to?.text ?? "")"
        case .clock(let from, let to): "clock=\(UTCTime.text(from))-\(to.map(UTCTime.text) ?? "")"
        case .smpte(let unit, let from, let to): "\(unit)=\(from)-\(to ?? "")"
        }
    }
}

extension NormalPlayTime {
    /// Reads `now`, seconds, or `hours:minutes:seconds`. Seconds may have a fraction.
    init?(_ text: Substring) {
        if text.equalsIgnoringCase("now") {
            self = .now
            return
        }
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map {
            Substring($0)
        }
        guard parts.count == 1 || parts.count == 3, let (seconds, fraction) = Fraction.read(parts[parts.count - 1])
        else { return nil }
        var whole = seconds
        if parts.count == 3 {
            guard let hours = parts[0].decimal(maximumDigits: 6), let minutes = parts[1].decimal(maximumDigits: 2),
                minutes < 60, seconds < 60
            else { return nil }
            whole += Int64(hours) * 3600 + Int64(minutes) * 60
        }
        // At most 10⁹ + 3600·10⁶ seconds: under 2⁶³ nanoseconds.
        self = .nanoseconds(whole * 1_000_000_000 + fraction)
    }

    fileprivate var text: String {
        switch self {
        case .now: "now"
        case .nanoseconds(let nanoseconds):
            "\(nanoseconds / 1_000_000_000)." + Digits.decimal(nanoseconds / 1_000_000 % 1000, count: 3)
        }
    }
}

/// Seconds with a fraction.
private enum Fraction {
    /// Reads seconds of up to nine digits and their fraction. Digits of the fraction after the ninth are dropped.
    static func read(_ text: Substring) -> (seconds: Int64, nanoseconds: Int64)? {
        let (whole, fraction) = text.halves(around: ".") ?? (text, "")
        guard let seconds = whole.decimal(maximumDigits: 9), fraction.utf8.allSatisfy(\.isDigit) else { return nil }
        let digits = fraction.prefix(9)
        let padded = digits + String(repeating: "0", count: 9 - digits.utf8.count)
        return padded.decimal().map { (Int64(seconds), Int64($0)) }
    }
}

/// The absolute times of `clock` ranges, `19961108T142300.25Z` (RFC 2326, section 3.7).
private enum UTCTime {
    static func unixNanoseconds(_ text: Substring) -> Int64? {
        guard text.utf8.last.map({ $0 | 0x20 }) == UInt8(ascii: "z"),
            let (date, time) = text.dropLast().halves(around: "T"), date.utf8.count == 8,
            date.utf8.allSatisfy(\.isDigit), let (clock, fraction) = Fraction.read(time),
            (time.halves(around: ".")?.0 ?? time).utf8.count == 6
        else { return nil }
        guard let year = date.prefix(4).decimal(), let month = date.dropFirst(4).prefix(2).decimal(),
            let day = date.dropFirst(6).decimal(), (1970...2200).contains(year), (1...12).contains(month),
            (1...31).contains(day), clock / 10_000 < 24, clock / 100 % 100 < 60, clock % 100 <= 60
        else { return nil }
        let seconds = clock / 10_000 * 3600 + clock / 100 % 100 * 60 + clock % 100
        return (daysSince1970(Int64(year), Int64(month), Int64(day)) * 86_400 + seconds) * 1_000_000_000 + fraction
    }

    static func text(_ unixNanoseconds: Int64) -> String {
        let milliseconds = max(0, unixNanoseconds) / 1_000_000
        let (days, ofDay) = (milliseconds / 86_400_000, milliseconds % 86_400_000)
        let (year, month, day) = civil(daysSince1970: days)
        let clock = ofDay / 3_600_000 * 10_000 + ofDay / 60_000 % 60 * 100 + ofDay / 1000 % 60
        let fraction = ofDay % 1000 == 0 ? "" : "." + Digits.decimal(ofDay % 1000, count: 3)
        return Digits.decimal(year * 10_000 + month * 100 + day, count: 8) + "T"
            + Digits.decimal(clock, count: 6) + fraction + "Z"
    }

    /// Days of the proleptic Gregorian calendar, with years that begin in March: Howard Hinnant's `days_from_civil`.
    private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = (shifted / 400, shifted % 400)
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The inverse, `civil_from_days`; `days` must not be negative.
    private static func civil(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = ((days + 719_468) / 146_097, (days + 719_468) % 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }
}
