import Glibc

/// A wall-clock time in one of the usual text forms.
public struct WrittenTime: Hashable, Sendable {
    /// Since 1970, UTC.
    public let unixNanoseconds: Int64
    /// The value of the last digit: the exact time is less than this later.
    public let resolution: Int64
    /// Whether the text named its time zone; otherwise this machine's zone was assumed.
    public let namesZone: Bool

    private static let second: Int64 = 1_000_000_000

    init(unixNanoseconds: Int64, resolution: Int64, namesZone: Bool = true) {
        (self.unixNanoseconds, self.resolution, self.namesZone) = (unixNanoseconds, resolution, namesZone)
    }

    /// Parses `2026-11-21T15:04:05.678Z`, or seconds since 1970 such as `1795273445.678`, from 1973 to 2200; `nil` for other
    /// text.
    ///
    /// The T may be a blank, the Z an offset such as `+01:00` or missing, and the hyphens colons, as in EXIF.
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
        // mktime decides by the zone's rules whether summer time applies.
        calendar.tm_isdst = -1
        guard let zone = fields.zone(), fields.isAtEnd else { return nil }
        let seconds = zone.offset.map { Int64(timegm(&calendar)) - $0 } ?? Int64(mktime(&calendar))
        // February 30 would have become March 2.
        guard seconds >= 0, calendar.tm_mday == CInt(day) || second == 60 else { return nil }
        self.init(
            unixNanoseconds: seconds * Self.second + fraction, resolution: resolution, namesZone: zone.offset != nil)
    }
}

/// Reads a text field by field.
private struct Fields {
    private var rest: Substring.UnicodeScalarView

    init(_ text: String) { rest = Substring(text).unicodeScalars }

    var isAtEnd: Bool { rest.isEmpty }

    func isNext(_ scalar: Unicode.Scalar) -> Bool { rest.first == scalar }

    /// Reads one of these characters.
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

    /// Reads an optional point and fraction; returns the nanoseconds and the value of the last digit.
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

    /// Reads `Z` or an offset such as `+01:00`; returns the seconds east of Greenwich, without a value at the end of the text;
    /// `nil` for anything else.
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
