/// The parameters of an `a=fmtp:` line: `96 packetization-mode=1;profile-level-id=42C01E` (RFC 8866, section 6.15).
public struct FormatParameters: Hashable, Sendable {
    /// Names and values in order; a name without `=` has an empty value.
    public let all: [(name: String, value: String)]

    public init(_ all: [(name: String, value: String)]) {
        self.all = all
    }

    /// Parses the text after the payload type: parameters separated by semicolons, with optional blanks.
    public init(_ text: Substring) {
        all = text.pieces(separatedBy: ";").map(\.trimmed).filter { !$0.isEmpty }.map { piece in
            guard let (name, value) = piece.divided(at: "=") else { return (String(piece), "") }
            return (String(name.trimmed), String(value.trimmed))
        }
    }

    /// The first value of that name. Names are case-insensitive, because Ubiquiti writes `SizeLength`.
    public subscript(name: String) -> String? {
        all.first { $0.name.equalsIgnoringCase(name) }?.value
    }

    /// The first value of that name as a decimal number.
    func number(_ name: String) -> UInt64? {
        self[name].flatMap(UInt64.init(decimal:))
    }

    /// The text of an `a=fmtp:` line after the payload type.
    public var text: String {
        all.map { $0.value.isEmpty ? $0.name : "\($0.name)=\($0.value)" }.joined(separator: ";")
    }

    public static func == (left: Self, right: Self) -> Bool { left.text == right.text }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }
}
