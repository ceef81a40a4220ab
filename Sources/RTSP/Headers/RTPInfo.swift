/// Where each track's packets begin after a PLAY (RFC 2326, section 12.33).
public struct RTPInfo: Hashable, Sendable {
    public struct Entry: Hashable, Sendable {
        /// The track's URL, as the client wrote it in SETUP: ffmpeg compares the texts.
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
    /// Reads a header's value; entries without `url` are left out, numbers that are none are `nil`.
    public init(_ headerValue: String) {
        entries = Self.entryTexts(headerValue).compactMap(Entry.init)
    }

    /// A URL may hold commas: an entry begins only where `url=` stands.
    private static func entryTexts(_ text: String) -> [String] {
        var entries: [String] = []
        for piece in text.pieces(separatedBy: ",") {
            if entries.isEmpty || piece.startsSame(as: "url=") {
                entries.append(String(piece))
            } else {
                entries[entries.count - 1] += ",\(piece)"
            }
        }
        return entries
    }

    /// The header's value: `url`, `seq` and `rtptime` only.
    public var headerValue: String {
        entries.map(\.text).joined(separator: ",")
    }
}

extension RTPInfo.Entry {
    /// Reads one entry. A URL may hold semicolons: it ends where `seq`, `rtptime` or `ssrc` begins.
    init?(_ text: String) {
        guard text.startsSame(as: "url=") else { return nil }
        self.init(url: "", sequenceNumber: nil, timestamp: nil)
        var urlParts: [Substring] = []
        for piece in text.dropFirst(4).pieces(separatedBy: ";") {
            switch piece.halves(around: "=") {
            case (let name, let value)? where name.isSame(as: "seq"):
                sequenceNumber = value.decimal(maximumDigits: 5).flatMap(UInt16.init(exactly:))
            case (let name, let value)? where name.isSame(as: "rtptime"):
                timestamp = value.decimal(maximumDigits: 10).flatMap(UInt32.init(exactly:))
            case (let name, _)? where name.isSame(as: "ssrc"): break
            default: urlParts.append(piece.unquoted)
            }
        }
        url = urlParts.joined(separator: ";")
    }

    fileprivate var text: String {
        "url=\(url)" + (sequenceNumber.map { ";seq=\($0)" } ?? "") + (timestamp.map { ";rtptime=\($0)" } ?? "")
    }
}
