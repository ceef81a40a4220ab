/// A session ID, valid only on the connection of its SETUP (RFC 2326, section 3.4).
public struct SessionID: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    /// Creates an ID from 128 random bits, as 32 hexadecimal digits.
    public init(random high: UInt64, _ low: UInt64) {
        text = Digits.hexadecimal(high, count: 16) + Digits.hexadecimal(low, count: 16)
    }

    /// Reads a peer's ID; `nil` if it is empty, longer than 128 bytes or contains blanks or control characters.
    public init?(_ text: some StringProtocol) {
        // Section 3.4 requires at least 8 characters, but cameras use fewer and other characters.
        guard (1...128).contains(text.utf8.count), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        self.text = String(text)
    }

    public var description: String { text }
}

/// The `Session` header: the ID and, in responses, the session timeout (RFC 2326, section 12.37).
public struct SessionHeader: Hashable, Sendable {
    public var id: SessionID
    /// The timeout; `nil` if the header has none, which means 60 seconds.
    public var timeoutSeconds: Int?

    public init(_ id: SessionID, timeoutSeconds: Int? = nil) {
        self.id = id
        self.timeoutSeconds = timeoutSeconds
    }

    /// Reads a header's value; `nil` without a valid ID. Unknown parameters are ignored.
    public init?(_ text: String) {
        let pieces = text.pieces(separatedBy: ";")
        guard text.trimmed.utf8.first != UInt8(ascii: ";"), let first = pieces.first, let id = SessionID(first) else {
            return nil
        }
        self.init(id)
        for piece in pieces.dropFirst() {
            guard let (name, value) = piece.halves(around: "="), name.equalsIgnoringCase("timeout") else { continue }
            timeoutSeconds = value.decimal(maximumDigits: 9)
        }
    }

    /// The header's value, without a blank before `timeout`, which ffmpeg would read as a part of the name.
    public var headerValue: String {
        timeoutSeconds.map { "\(id.text);timeout=\($0)" } ?? id.text
    }
}
