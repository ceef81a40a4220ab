import Glibc

/// A wall-clock time as people and programs write it.
public struct WrittenTime: Hashable, Sendable {
    /// Since 1970, UTC.
    public let unixNanoseconds: Int64
    /// Of the last digit: the true time is less than this later.
    public let resolution: Int64
    /// Whether the text said which zone it is of; else it was taken to be this machine's.
    public let namesZone: Bool

    private static let second: Int64 = 1_000_000_000

    init(unixNanoseconds: Int64, resolution: Int64, namesZone: Bool = true) {
        (self.unixNanoseconds, self.resolution, self.namesZone) = (unixNanoseconds, resolution, namesZone)
    }

    /// `2026-11-21T15:04:05.678Z`, with a blank for the T, `+01:00` for the Z or without either, with colons for hyphens as
    /// EXIF writes it; or seconds since 1970, `1795273445.678`, from
    /// 1973 on. To 2200.
    public init?(_ text: String) {
        var fields = Fields(text)
        guard let first = fields.number(digits: 1...10) else { return nil }
        if fields.isAtEnd || fields.isNext(".") {
            guard let (fraction, resolution) = fields.fraction(), fields.isAtEnd,
                (100_000_000..<7_258_118_400).contains(first)
            else {
                return nil
            }
            self.init(unixNanoseconds: first * Self.second + fraction, resolution: resolution)
            return
        }
        guard (1970...2200).contains(first), fields.take("-:"), let month = fields.number(digits: 2...2),
            fields.take("-:"), let day = fields.number(digits: 2...2), fields.take("T t"),
            let hour = fields.number(digits: 2...2), fields.take(":"), let minute = fields.number(digits: 2...2),
            fields.take(":"), let second = fields.number(digits: 2...2), let (fraction, resolution) = fields.fraction(),
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        var calendar = tm()
        (calendar.tm_year, calendar.tm_mon, calendar.tm_mday) = (CInt(first - 1900), CInt(month - 1), CInt(day))
        (calendar.tm_hour, calendar.tm_min, calendar.tm_sec) = (CInt(hour), CInt(minute), CInt(second))
        // Whether it was summer is for the zone's rules to say.
        calendar.tm_isdst = -1
        guard let zone = fields.zone(), fields.isAtEnd else { return nil }
        let seconds = zone.offset.map { Int64(timegm(&calendar)) - $0 } ?? Int64(mktime(&calendar))
        // February 30 would have become March 2.
        guard seconds >= 0, calendar.tm_mday == CInt(day) || second == 60 else { return nil }
        self.init(
            unixNanoseconds: seconds * Self.second + fraction, resolution: resolution, namesZone: zone.offset != nil)
    }
}

/// What is left of a text that is read field by field.
private struct Fields {
    private var rest: Substring.UnicodeScalarView

    init(_ text: String) { rest = Substring(text).unicodeScalars }

    var isAtEnd: Bool { rest.isEmpty }

    func isNext(_ scalar: Unicode.Scalar) -> Bool { rest.first == scalar }

    /// Takes one of these.
    mutating func take(_ scalars: String) -> Bool {
        guard let first = rest.first, scalars.unicodeScalars.contains(first) else { return false }
        rest.removeFirst()
        return true
    }

    mutating func number(digits: ClosedRange<Int>) -> Int64? {
        let text = rest.prefix { ("0"..."9").contains($0) }
        guard digits.contains(text.count) else { return nil }
        rest.removeFirst(text.count)
        return Int64(String(text))
    }

    /// Nanoseconds behind a point, if there is one, and what the last digit counts.
    mutating func fraction() -> (nanoseconds: Int64, resolution: Int64)? {
        guard isNext(".") else { return (0, 1_000_000_000) }
        rest.removeFirst()
        let digits = rest.prefix { ("0"..."9").contains($0) }
        rest.removeFirst(digits.count)
        let kept = String(digits.prefix(9))
        guard !kept.isEmpty, let number = Int64(kept) else { return nil }
        let resolution = (0..<9 - kept.count).reduce(Int64(1)) { product, _ in product * 10 }
        return (number * resolution, resolution)
    }

    /// Seconds east of Greenwich, of `Z` or `+01:00`; none where nothing is said. `nil` for anything else.
    mutating func zone() -> (offset: Int64?, Void)? {
        if isAtEnd { return (nil, ()) }
        if take("Zz") { return (0, ()) }
        let isWest = isNext("-")
        guard take("+-"), let hours = number(digits: 2...2), take(":"), let minutes = number(digits: 2...2), hours < 24,
            minutes < 60
        else { return nil }
        return ((isWest ? -1 : 1) * (hours * 3600 + minutes * 60), ())
    }
}
