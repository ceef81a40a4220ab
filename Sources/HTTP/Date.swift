/// An instant in the format of `Date` (RFC 9110, section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
public func httpDate(unixSeconds: Int64) -> String {
    let (days, second) = unixSeconds.quotientAndRemainder(dividingBy: 86_400)
    // Days since 1 March of the year 0, so that a leap day is the last day of a year (H. Hinnant, chrono-compatible low-level date
    // algorithms).
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * month + 2) / 5 + 1
    let year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0)
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    // 1 January 1970 was a Thursday.
    let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][Int(days % 7)]
    let months = ["Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec", "Jan", "Feb"]
    return "\(weekday), \(two(day)) \(months[Int(month)]) \(year) "
        + "\(two(second / 3_600)):\(two(second / 60 % 60)):\(two(second % 60)) GMT"
}
