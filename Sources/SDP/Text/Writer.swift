extension SessionDescription {
    /// The description as text, with lines in the order of RFC 8866, section 5, and CRLF after each line. go2rtc requires the
    /// last CRLF.
    ///
    /// Line breaks in values, such as in a title from the configuration, become blanks, so that they cannot start a line.
    public var text: String {
        var writer = Writer()
        writer.line("v", "0")
        writer.line("o", origin.value)
        writer.line("s", name.isEmpty ? "-" : name)
        writer.optionalLine("i", information)
        writer.optionalLine("c", connection?.value)
        writer.lines("b", bandwidths.map(\.text))
        writer.line("t", "\(timing.start) \(timing.stop)")
        writer.lines("a", attributes.map(\.text))
        for medium in media {
            writer.line("m", medium.value)
            writer.optionalLine("i", medium.information)
            writer.optionalLine("c", medium.connection?.value)
            writer.lines("b", medium.bandwidths.map(\.text))
            writer.lines("a", medium.attributes.map(\.text))
        }
        return writer.text
    }
}

/// Writes lines.
private struct Writer {
    private(set) var text = ""

    mutating func line(_ kind: String, _ value: String) {
        // NUL, CR and LF are the bytes that no value may contain (RFC 8866, section 9, byte-string).
        let isClean = value.utf8.allSatisfy { $0 != 0 && $0 != 0x0A && $0 != 0x0D }
        text += "\(kind)=\(isClean ? value : value.withoutLineBreaks)\r\n"
    }

    mutating func optionalLine(_ kind: String, _ value: String?) {
        if let value, !value.isEmpty { line(kind, value) }
    }

    mutating func lines(_ kind: String, _ values: [String]) {
        for value in values { line(kind, value) }
    }
}

extension String {
    fileprivate var withoutLineBreaks: String {
        String(decoding: utf8.map { $0 == 0 || $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }, as: UTF8.self)
    }
}

extension SessionDescription.Origin {
    fileprivate var value: String { "\(userName) \(sessionID) \(version) IN \(ipVersion.rawValue) \(address)" }
}

extension SessionDescription.Connection {
    fileprivate var value: String {
        var text = "IN \(ipVersion.rawValue) \(address)"
        if ipVersion == .ipv4, let timeToLive { text += "/\(timeToLive)" }
        // In IPv4 a count must follow a TTL.
        if addressCount > 1, ipVersion == .ipv6 || timeToLive != nil { text += "/\(addressCount)" }
        return text
    }
}

extension Bandwidth {
    fileprivate var text: String { "\(kind):\(value)" }
}

extension Attribute {
    fileprivate var text: String { value.map { "\(name):\($0)" } ?? name }
}

extension MediaDescription {
    fileprivate var value: String {
        let ports = portCount > 1 ? "\(port)/\(portCount)" : "\(port)"
        return "\(kind) \(ports) \(transport) \(formats.joined(separator: " "))"
    }
}
