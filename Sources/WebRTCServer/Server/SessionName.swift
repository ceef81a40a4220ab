/// The name of a session in its URL, which cannot be guessed: 128 random bits behind the number of its event loop.
struct SessionName: Hashable, Sendable, CustomStringConvertible {
    let loop: Int
    let description: String

    init(onLoop loop: Int, random: (UInt64, UInt64)) {
        self.loop = loop
        description = "\(loop)-\(Self.digits(random.0))\(Self.digits(random.1))"
    }

    /// - Returns: `nil` if the text is no name.
    init?(_ text: String) {
        let parts = text.split(separator: "-", maxSplits: 1)
        guard parts.count == 2, parts[0].utf8.count <= 3, parts[1].utf8.count == 32, let loop = Int(parts[0]), loop >= 0
        else { return nil }
        (self.loop, description) = (loop, text)
    }

    private static func digits(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
