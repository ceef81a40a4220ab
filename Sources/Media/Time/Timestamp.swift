/// `2026-11-21T09:08:07.006Z`: UTC to the millisecond (RFC 3339).
public func timestamp(unixNanoseconds: Int64) -> String {
    let milliseconds = unixNanoseconds / 1_000_000
    let (days, inDay) = (milliseconds / 86_400_000, milliseconds % 86_400_000)
    let date = civilDate(daysSince1970: days)
    let time = [inDay / 3_600_000, inDay / 60_000 % 60, inDay / 1000 % 60].map { digits($0, 2) }.joined(separator: ":")
    return "\(digits(date.year, 4))-\(digits(date.month, 2))-\(digits(date.day, 2))T\(time).\(digits(inDay % 1000, 3))Z"
}

/// The Gregorian date. The calculation uses eras of 400 years that begin in March, so that leap days come last.
private func civilDate(daysSince1970: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = daysSince1970 + 719_468  // days since 0000-03-01
    let (era, dayOfEra) = (shifted / 146_097, shifted % 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
}

private func digits(_ number: Int64, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.count)) + text
}
