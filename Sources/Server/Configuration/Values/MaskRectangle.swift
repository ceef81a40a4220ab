/// A rectangle in a frame; its origin is the upper left corner of the frame.
public struct MaskRectangle: Hashable, Sendable, CustomStringConvertible {
    /// The unit of its numbers.
    public enum Unit: Hashable, Sendable {
        /// Pixels of a frame of the path's size. In a frame of another size, the rectangle is scaled.
        case pixels
        /// Thousandths of a percent of the frame's width and height.
        case milliPercent
    }

    public let unit: Unit
    public let x: Int
    public let y: Int
    /// Positive.
    public let width: Int
    /// Positive.
    public let height: Int

    /// Reads left, top, width and height: `["10", "20", "200", "100"]` or `["5%", "0%", "12.5%", "100%"]`. `nil` for other texts,
    /// and if the rectangle is empty or exceeds 100 %.
    public init?(_ texts: [String]) {
        let isInPercent = texts.first?.hasSuffix("%") == true
        let lengths = texts.compactMap { isInPercent ? Self.milliPercent($0) : Self.pixels($0) }
        guard texts.count == 4, lengths.count == 4, lengths[2] > 0, lengths[3] > 0 else { return nil }
        (x, y, width, height) = (lengths[0], lengths[1], lengths[2], lengths[3])
        unit = isInPercent ? .milliPercent : .pixels
        if isInPercent, max(x + width, y + height) > Self.whole { return nil }
    }

    /// 100 %.
    static let whole = 100_000

    /// Whether it lies within a frame of the path's size.
    func isWithin(_ size: (width: Int, height: Int)) -> Bool {
        unit == .milliPercent || x + width <= size.width && y + height <= size.height
    }
}

// MARK: - Text

extension MaskRectangle {
    /// As the configuration contains it: `[5%, 0%, 12.5%, 100%]`.
    public var description: String {
        let texts = [x, y, width, height].map { unit == .pixels ? "\($0)" : Self.percentage($0) }
        return "[\(texts.joined(separator: ", "))]"
    }

    /// The same as a value of a setting: `["5%", "0%", "12.5%", "100%"]` or `[64, 0, 160, 720]`.
    var setting: SettingValue {
        .list([x, y, width, height].map { unit == .pixels ? .number($0) : .text(Self.percentage($0)) })
    }

    private static func pixels(_ text: String) -> Int? {
        // No frame is larger than 16384 pixels in either direction.
        digits(text[...]).flatMap { $0 <= 16_384 ? $0 : nil }
    }

    /// The value of `12.5%`: at most 100 %, with at most three decimals.
    private static func milliPercent(_ text: String) -> Int? {
        guard text.hasSuffix("%") else { return nil }
        let parts = text.dropLast().split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let decimals = parts.count == 2 ? parts[1] : "0"
        guard let percent = digits(parts[0]), percent <= 100, decimals.count <= 3,
            let rest = digits(decimals + String(repeating: "0", count: 3 - decimals.count)), !decimals.isEmpty
        else { return nil }
        return percent * 1000 + rest
    }

    private static func percentage(_ milliPercent: Int) -> String {
        let (percent, rest) = milliPercent.quotientAndRemainder(dividingBy: 1000)
        var decimals = String(String(1000 + rest).dropFirst())
        while decimals.last == "0" { decimals.removeLast() }
        return "\(percent)\(decimals.isEmpty ? "" : ".")\(decimals)%"
    }

    /// The number, if the text consists of digits only.
    private static func digits(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }
}
