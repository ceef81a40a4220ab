import Media

/// The lines of a playlist (RFC 8216, section 4).
struct PlaylistText {
    private(set) var text = "#EXTM3U\n"

    /// A value of an attribute, as it is written.
    struct Value: ExpressibleByStringInterpolation {
        let text: String

        init(stringLiteral text: String) { self.text = text }

        private init(_ text: String) { self.text = text }

        /// A quoted string, which can contain neither quotes nor line breaks.
        static func quoted(_ text: String) -> Self {
            let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
                scalar == "\"" ? "'" : scalar.value < 0x20 || scalar.value == 0x7F ? " " : scalar
            }
            var value = "\""
            value.unicodeScalars.append(contentsOf: scalars)
            return Self(value + "\"")
        }

        /// Seconds with five digits behind the point, without zeros at the end.
        static func seconds(_ nanoseconds: Int64) -> Self { Self(String.seconds(nanoseconds)) }
    }

    /// - Parameter version: of the protocol that the tags need.
    init(version: Int) { tag("EXT-X-VERSION", "\(version)") }

    mutating func line(_ line: String) { text += line + "\n" }

    mutating func tag(_ name: String) { line("#" + name) }

    mutating func tag(_ name: String, _ value: String) { line("#\(name):\(value)") }

    mutating func tag(_ name: String, _ attributes: [(name: String, value: Value)]) {
        tag(name, attributes.map { "\($0.name)=\($0.value.text)" }.joined(separator: ","))
    }
}

extension String {
    /// Seconds with five digits behind the point, without zeros at the end: `1.03333`.
    static func seconds(_ nanoseconds: Int64) -> String {
        let value = (nanoseconds + 5_000) / 10_000
        var digits = padded(value % 100_000, 5)
        while digits.utf8.last == UInt8(ascii: "0") { digits.removeLast() }
        return digits.isEmpty ? "\(value / 100_000)" : "\(value / 100_000).\(digits)"
    }

    /// A date to the millisecond (ISO 8601): `2026-11-25T19:04:05.678Z`.
    static func date(_ time: NTPTime) -> String {
        let milliseconds = (time.unixNanoseconds + 500_000) / 1_000_000
        let (days, rest) = (milliseconds / 86_400_000, milliseconds % 86_400_000)
        // The day in the proleptic Gregorian calendar, in which a year begins on 1 March, so that a leap day is its last day. Days count
        // from 1 March of the year 0.
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        let clock = [rest / 3_600_000, rest / 60_000 % 60, rest / 1_000 % 60].map { padded($0, 2) }
        return
            "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T\(clock.joined(separator: ":")).\(padded(rest % 1_000, 3))Z"
    }

    private static func padded(_ value: Int64, _ count: Int) -> String {
        var digits = String(value)
        while digits.utf8.count < count { digits = "0" + digits }
        return digits
    }
}
