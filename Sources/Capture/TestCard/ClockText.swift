/// A wall-clock time as text, in UTC.
struct ClockText: Hashable, Sendable {
    /// `2026-11-21`
    let date: String
    /// `02:12:13.165`, rounded down to the millisecond.
    let time: String

    /// The instant `nanoseconds` after 1970.
    init(unixNanoseconds nanoseconds: Int64) {
        let (day, milliseconds) = Self.floored(Self.floored(nanoseconds, by: 1_000_000).quotient, by: 86_400_000)
        let seconds = milliseconds / 1000
        time =
            Self.padded(seconds / 3600, 2) + ":" + Self.padded(seconds / 60 % 60, 2) + ":"
            + Self.padded(seconds % 60, 2) + "." + Self.padded(milliseconds % 1000, 3)
        date = Self.date(ofDay: day)
    }

    /// `number` with at least `width` digits.
    static func padded(_ number: Int64, _ width: Int) -> String {
        let figures = String(number)
        return String(repeating: "0", count: max(0, width - figures.utf8.count)) + figures
    }

    /// The Gregorian date of a day since 1970, by Howard Hinnant's `civil_from_days`, in years that begin in March.
    private static func date(ofDay day: Int64) -> String {
        let (era, dayOfEra) = floored(day + 719_468, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * shifted + 2) / 5 + 1
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(dayOfMonth, 2)
    }

    private static func floored(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
