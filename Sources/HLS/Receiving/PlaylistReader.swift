/// Reads a playlist line by line.
struct PlaylistReader {
    private var lineNumber = 0
    private var qualities: [String] = []
    private var media = ReceivedMediaPlaylist()
    private var hasTarget = false
    /// The position of the next part or segment.
    private var next = PlaylistPosition(segment: 0, part: 0)
    private var initURI: String?
    /// What the tags before a URI say of it.
    private var expected = Expected.nothing

    private enum Expected {
        case nothing
        case quality
        case segment(isGap: Bool)
    }

    /// - Parameter line: without its end.
    mutating func read(_ line: Substring) throws(ReceivedPlaylist.Failure) {
        lineNumber += 1
        if lineNumber == 1 {
            guard line == "#EXTM3U" else { throw .noPlaylist }
        } else if line.utf8.starts(with: "#EXT".utf8) {
            let words = line.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
            try readTag(Substring(words[0].dropFirst()), words.count > 1 ? Substring(words[1]) : "")
        } else if !line.isEmpty, line.utf8.first != UInt8(ascii: "#") {
            try readURI(String(line))
        }
    }

    /// The playlist, after its last line.
    func finish() throws(ReceivedPlaylist.Failure) -> ReceivedPlaylist {
        if hasTarget { return .media(media) }
        guard !qualities.isEmpty else { throw .noPlaylist }
        return .qualities(qualities)
    }

    private mutating func readTag(_ name: Substring, _ value: Substring) throws(ReceivedPlaylist.Failure) {
        switch name {
        case "EXT-X-STREAM-INF": expected = .quality
        case "EXT-X-TARGETDURATION": (media.targetSeconds, hasTarget) = (Int(try number(value)), true)
        case "EXT-X-MEDIA-SEQUENCE":
            // It must stand before the first segment (section 4.4.3.2).
            guard next == PlaylistPosition(segment: 0, part: 0) else { throw .malformed(line: lineNumber) }
            next = PlaylistPosition(segment: try number(value), part: 0)
        case "EXT-X-SERVER-CONTROL": media.canBlock = try attributes(value)["CAN-BLOCK-RELOAD"] == "YES"
        case "EXT-X-MAP":
            let attributes = try wholeResource(value)
            initURI = try self.value("URI", of: attributes)
        case "EXT-X-PART": try readPart(value)
        case "EXT-X-PRELOAD-HINT": try readHint(value)
        case "EXTINF": expected = .segment(isGap: isGap)
        case "EXT-X-GAP": expected = .segment(isGap: true)
        case "EXT-X-ENDLIST": media.hasEnded = true
        case "EXT-X-KEY":
            guard try attributes(value)["METHOD"] == "NONE" else { throw .unsupported("EXT-X-KEY") }
        case "EXT-X-BYTERANGE", "EXT-X-SKIP", "EXT-X-DEFINE": throw .unsupported(String(name))
        default: break
        }
    }

    private var isGap: Bool {
        if case .segment(let isGap) = expected { isGap } else { false }
    }

    private mutating func readPart(_ value: Substring) throws(ReceivedPlaylist.Failure) {
        let attributes = try wholeResource(value)
        let part = ReceivedMediaPlaylist.Resource(
            next, uri: try self.value("URI", of: attributes), initURI: initURI,
            isIndependent: attributes["INDEPENDENT"] == "YES")
        if attributes["GAP"] != "YES" { media.parts.append(part) }
        next = PlaylistPosition(segment: next.segment, part: next.part + 1)
    }

    private mutating func readHint(_ value: Substring) throws(ReceivedPlaylist.Failure) {
        let attributes = try attributes(value)
        guard attributes["TYPE"] == "PART" else { return }
        guard attributes["BYTERANGE-START"] == nil else { throw .unsupported("BYTERANGE-START") }
        media.hint = ReceivedMediaPlaylist.Resource(
            next, uri: try self.value("URI", of: attributes), initURI: initURI, isIndependent: false)
    }

    private mutating func readURI(_ uri: String) throws(ReceivedPlaylist.Failure) {
        switch expected {
        case .nothing: throw .malformed(line: lineNumber)
        case .quality: qualities.append(uri)
        case .segment(let isGap):
            let position = PlaylistPosition(segment: next.segment, part: 0)
            if !isGap {
                media.segments.append(.init(position, uri: uri, initURI: initURI, isIndependent: true))
            }
            next = PlaylistPosition(segment: next.segment + 1, part: 0)
        }
        expected = .nothing
    }

    // MARK: Values

    /// A decimal number of at most 16 digits, so that counting on from it does not overflow.
    private func number(_ text: Substring) throws(ReceivedPlaylist.Failure) -> Int64 {
        guard text.utf8.count <= 16, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(text)
        else {
            throw .malformed(line: lineNumber)
        }
        return number
    }

    /// The attributes of a tag whose resource is a whole file.
    private func wholeResource(_ text: Substring) throws(ReceivedPlaylist.Failure) -> [Substring: Substring] {
        let attributes = try attributes(text)
        guard attributes["BYTERANGE"] == nil else { throw .unsupported("BYTERANGE") }
        return attributes
    }

    private func value(
        _ name: Substring, of attributes: [Substring: Substring]
    ) throws(ReceivedPlaylist.Failure) -> String {
        guard let value = attributes[name], !value.isEmpty else { throw .malformed(line: lineNumber) }
        return String(value)
    }

    /// An attribute list (RFC 8216, section 4.2), without the quotes of its values.
    private func attributes(_ text: Substring) throws(ReceivedPlaylist.Failure) -> [Substring: Substring] {
        var (rest, attributes) = (text.utf8, [Substring: Substring]())
        while !rest.isEmpty {
            guard let equals = rest.firstIndex(of: UInt8(ascii: "=")) else { throw .malformed(line: lineNumber) }
            let name = Substring(rest[..<equals])
            rest = rest[rest.index(after: equals)...]
            let isQuoted = rest.first == UInt8(ascii: "\"")
            if isQuoted { rest = rest.dropFirst() }
            guard let end = rest.firstIndex(of: UInt8(ascii: isQuoted ? "\"" : ",")) ?? (isQuoted ? nil : rest.endIndex)
            else { throw .malformed(line: lineNumber) }
            attributes[name] = Substring(rest[..<end])
            rest = rest[end...].dropFirst(isQuoted ? 1 : 0)
            guard rest.isEmpty || rest.first == UInt8(ascii: ",") else { throw .malformed(line: lineNumber) }
            rest = rest.dropFirst()
        }
        return attributes
    }
}
