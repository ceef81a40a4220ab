/// The first packet of each track after a PLAY (RFC 2326, section 12.33).
public struct RTPInfo: Hashable, Sendable {
    public struct Entry: Hashable, Sendable {
        /// The track's URL exactly as the client wrote it in SETUP, because ffmpeg compares the texts.
        public var url: String
        /// The sequence number of the first packet.
        public var sequenceNumber: UInt16?
        /// The RTP timestamp of the first packet; `nil` while no packet exists. ffmpeg ignores 0.
        public var timestamp: UInt32?

        public init(url: String, sequenceNumber: UInt16?, timestamp: UInt32?) {
            self.url = url
            self.sequenceNumber = sequenceNumber
            self.timestamp = timestamp
        }
    }

    public var entries: [Entry]

    public init(_ entries: [Entry]) {
        self.entries = entries
    }
}

extension RTPInfo {
    /// Reads a header's value. Entries without `url` are left out, and invalid numbers are `nil`.
    public init(_ headerValue: String) {
        entries = Self.entryTexts(headerValue).compactMap(Entry.init)
    }

    /// Splits at the commas before `url=`, because a URL may contain commas.
    private static func entryTexts(_ text: String) -> [Substring] {
        var entries: [Substring] = []
        var start = text.startIndex
        for comma in text.utf8.indices where text.utf8[comma] == UInt8(ascii: ",") {
            let behind = text.utf8[comma...].dropFirst().drop(while: \.isLinearWhiteSpace)
            guard Substring(behind).hasPrefixIgnoringCase("url=") else { continue }
            entries.append(text[start..<comma].trimmed)
            start = text.utf8.index(after: comma)
        }
        return entries + [text[start...].trimmed]
    }

    /// The header's value: `url`, `seq` and `rtptime` only.
    public var headerValue: String {
        entries.map(\.text).joined(separator: ",")
    }
}

extension RTPInfo.Entry {
    /// Reads one entry. The URL ends before `seq`, `rtptime` or `ssrc`, because a URL may contain semicolons. Separators and
    /// quotes at its ends do not belong to it.
    init?(_ text: Substring) {
        guard text.hasPrefixIgnoringCase("url=") else { return nil }
        self.init(url: "", sequenceNumber: nil, timestamp: nil)
        let parts = text.utf8.dropFirst(4).split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        var url: [Substring] = []
        for part in parts.map({ Substring($0).trimmed }) {
            // The first part always belongs to the URL.
            if url.isEmpty || !take(part) { url.append(part) }
        }
        self.url = Self.withoutSeparators(url.joined(separator: ";"))
    }

    /// Reads a parameter; false if the part is not one.
    private mutating func take(_ part: Substring) -> Bool {
        guard let (name, value) = part.halves(around: "=") else { return false }
        if name.equalsIgnoringCase("seq") {
            sequenceNumber = value.decimal(maximumDigits: 5).flatMap(UInt16.init(exactly:))
        } else if name.equalsIgnoringCase("rtptime") {
            timestamp = value.decimal(maximumDigits: 10).flatMap(UInt32.init(exactly:))
        } else if !name.equalsIgnoringCase("ssrc") {
            return false
        }
        return true
    }

    private static func withoutSeparators(_ url: String) -> String {
        func isSeparator(_ byte: UInt8) -> Bool {
            byte.isLinearWhiteSpace || [UInt8(ascii: ";"), UInt8(ascii: ","), UInt8(ascii: "\"")].contains(byte)
        }
        var rest = url[...].utf8
        while rest.first.map(isSeparator) == true { rest.removeFirst() }
        while rest.last.map(isSeparator) == true { rest.removeLast() }
        return String(Substring(rest))
    }

    fileprivate var text: String {
        "url=\(url)" + (sequenceNumber.map { ";seq=\($0)" } ?? "") + (timestamp.map { ";rtptime=\($0)" } ?? "")
    }
}
