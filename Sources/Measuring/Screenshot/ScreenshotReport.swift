import Glibc

/// The printed form of a `ScreenshotMeasurement`. Times are UTC with a resolution of 0.1 ms; delays are in milliseconds.
public struct ScreenshotReport: Encodable, Sendable {
    public let file: String
    public let width: Int
    public let height: Int
    public let taken: String
    public let takenBy: ImageTime.Source
    /// The resolution of `taken`: the image was taken less than this later.
    public let takenWithin: Double
    public let codes: [Code]
    private let namesZone: Bool

    public struct Code: Encodable, Sendable {
        public let captured: String
        public let frame: UInt32
        public let delay: Double
        /// The overlay's box in pixels, without the quiet zone.
        public let left: Int
        public let top: Int
        public let right: Int
        public let bottom: Int
    }

    private enum CodingKeys: String, CodingKey {
        case file, width, height, taken, takenBy, takenWithin, codes
    }

    public init(_ measurement: ScreenshotMeasurement) {
        (file, width, height) = (measurement.file, measurement.width, measurement.height)
        let time = measurement.imageTime.time
        taken = Self.text(time.unixNanoseconds)
        takenBy = measurement.imageTime.source
        takenWithin = Double(time.resolution) / 1_000_000
        namesZone = time.namesZone
        codes = measurement.findings.map { found in
            Code(
                captured: Self.text(found.code.unixNanoseconds), frame: found.code.frameNumber,
                delay: Double(measurement.delay(of: found.code) / 100_000) / 10,
                left: Int(found.x.lowerBound.rounded()),
                top: Int(found.y.lowerBound.rounded()), right: Int(found.x.upperBound.rounded()),
                bottom: Int(found.y.upperBound.rounded()))
        }
    }
}

// MARK: - As text

extension ScreenshotReport {
    /// A line for the image, a line per overlay, and a line per further overlay with its distance from the first.
    public var table: String {
        var lines = ["image     \(taken)  \(file), \(width)×\(height), \(takenBy.sentence)\(resolution)\(zone)"]
        for code in codes { lines.append("captured  \(code.captured)  frame \(code.frame), \(delay(code)) before") }
        for code in codes.dropFirst() {
            let frames = Int64(code.frame) - Int64(codes[0].frame)
            let difference = codes[0].delay - code.delay
            lines.append("between   \(Self.milliseconds(abs(difference))), \(abs(frames)) frames")
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private func delay(_ code: Code) -> String {
        let least = Self.milliseconds(code.delay)
        return takenWithin < 1 ? least : "\(least) to \(Self.milliseconds(code.delay + takenWithin))"
    }

    private var resolution: String {
        switch takenWithin {
        case ..<1: ""
        case 1000...: ", in whole seconds"
        default: ", in steps of \(Self.milliseconds(takenWithin))"
        }
    }

    private var zone: String { namesZone ? "" : ", assumed to be in this machine's time zone" }

    private static func milliseconds(_ number: Double) -> String {
        "\((number * 10).rounded() / 10) ms"
    }

    /// `2026-11-21T15:04:05.6789Z`
    private static func text(_ unixNanoseconds: Int64) -> String {
        let tenths = unixNanoseconds / 100_000
        var (seconds, calendar) = (time_t(tenths / 10_000), tm())
        gmtime_r(&seconds, &calendar)
        func padded(_ number: some BinaryInteger, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let date = [calendar.tm_year + 1900, calendar.tm_mon + 1, calendar.tm_mday].map { padded($0, 2) }
        let time = [calendar.tm_hour, calendar.tm_min, calendar.tm_sec].map { padded($0, 2) }
        return date.joined(separator: "-") + "T" + time.joined(separator: ":") + ".\(padded(tenths % 10_000, 4))Z"
    }
}
