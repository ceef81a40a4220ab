extension SessionDescription {
    /// Maximum bytes of a description; the same as for RTSP bodies.
    public static let byteLimit = 65_536
    /// Maximum media of a description; real ones have up to five.
    public static let mediaLimit = 64

    /// Parses a description, including the variants that real devices write.
    ///
    /// The version, the form of each line, and `m=` must be valid. Accepted are any line end (and NULs, which some firmware
    /// appends), lines in any order, missing or malformed `o= s= t=` (replaced by defaults), malformed `c=` and `b=` (ignored),
    /// and unknown lines (ignored).
    /// - Throws: `ParseError` with the line.
    public init(parsing bytes: [UInt8]) throws(ParseError) {
        guard bytes.count <= Self.byteLimit else {
            throw ParseError(line: 1, reason: .tooLong(limit: Self.byteLimit))
        }
        var parser = Parser()
        for line in Lines(bytes) {
            try parser.received(line)
        }
        self = try parser.finish()
    }

    /// Parses a description from text.
    public init(parsing text: String) throws(ParseError) {
        try self.init(parsing: [UInt8](text.utf8))
    }
}

extension SessionDescription {
    /// Parses a description line by line: first the session's lines, then the lines of each medium.
    fileprivate struct Parser {
        private var description = SessionDescription()
        private var sawVersion = false
        private var sawTiming = false

        mutating func received(_ line: Lines.Line) throws(ParseError) {
            guard sawVersion else { return try receivedFirst(line) }
            guard let kind = line.kind else { throw ParseError(line: line.number, reason: .malformedLine) }
            if kind == "m" {
                try receivedMedia(line)
            } else if description.media.isEmpty {
                receivedForSession(kind, line.value)
            } else {
                description.media[description.media.count - 1].received(kind, line.value)
            }
        }

        func finish() throws(ParseError) -> SessionDescription {
            guard sawVersion else { throw ParseError(line: 1, reason: .missingVersion) }
            return description
        }

        private mutating func receivedFirst(_ line: Lines.Line) throws(ParseError) {
            guard line.kind == "v" else { throw ParseError(line: line.number, reason: .missingVersion) }
            guard line.value.trimmed == "0" else { throw ParseError(line: line.number, reason: .unsupportedVersion) }
            sawVersion = true
        }

        private mutating func receivedMedia(_ line: Lines.Line) throws(ParseError) {
            guard let media = MediaDescription(line.value) else {
                throw ParseError(line: line.number, reason: .malformedMedia)
            }
            guard description.media.count < mediaLimit else {
                throw ParseError(line: line.number, reason: .tooManyMedia(limit: mediaLimit))
            }
            description.media.append(media)
        }

        private mutating func receivedForSession(_ kind: Unicode.Scalar, _ value: Substring) {
            switch kind {
            case "o": description.origin = Origin(value) ?? .unknown
            case "s": description.name = value.isEmpty ? "-" : String(value)
            case "i": description.information = value.isEmpty ? nil : String(value)
            case "c": description.connection = description.connection ?? Connection(value)
            case "b": description.bandwidths += Bandwidth(value).map { [$0] } ?? []
            case "t":
                guard !sawTiming, let timing = SessionDescription.Timing(value) else { return }
                description.timing = timing
                sawTiming = true
            case "a": description.attributes += Attribute(line: value).map { [$0] } ?? []
            default: break
            }
        }
    }
}

extension MediaDescription {
    fileprivate mutating func received(_ kind: Unicode.Scalar, _ value: Substring) {
        switch kind {
        case "i": information = value.isEmpty ? nil : String(value)
        case "c": connection = connection ?? SessionDescription.Connection(value)
        case "b": bandwidths += Bandwidth(value).map { [$0] } ?? []
        case "a": attributes += Attribute(line: value).map { [$0] } ?? []
        default: break
        }
    }
}
