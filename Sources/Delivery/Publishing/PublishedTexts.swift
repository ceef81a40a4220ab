/// What a publisher says about its stream.
public struct PublishedTexts: Hashable, Sendable {
    /// `nil` if the publisher says nothing.
    public let title: String?
    /// A description; `nil` if the publisher says nothing.
    public let information: String?

    /// Without control characters, and cut to 200 bytes each. Placeholders of encoders count as nothing.
    public init(title: String? = nil, information: String? = nil) {
        self.title = title.flatMap(Self.usable)
        self.information = information.flatMap(Self.usable)
    }

    /// Bytes of a text: more than any player shows.
    private static let byteLimit = 200
    /// What libavformat, live555 and RootEncoder write if their users have set nothing.
    private static let placeholders: Set<String> = ["", "-", "No Name", "Unnamed", "N/A", "Service01"]

    /// The text without control characters, cut to the limit at a character; `nil` for a placeholder.
    private static func usable(_ text: String) -> String? {
        var result = ""
        for character in text where !character.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
            guard result.utf8.count + character.utf8.count <= byteLimit else { break }
            result.append(character)
        }
        let trimmed = result.drop { $0 == " " }
        return placeholders.contains(String(trimmed)) ? nil : String(trimmed)
    }
}
