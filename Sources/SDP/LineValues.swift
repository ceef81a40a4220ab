// How each line's value is read. All answer `nil` for what they cannot make sense of.

extension SessionDescription.Origin {
    /// `<username> <sess-id> <sess-version> IN <addrtype> <address>`, read from the end: TP-Link writes user names
    /// with blanks.
    init?(_ value: Substring) {
        let fields = value.fields
        guard fields.count >= 6 else { return nil }
        let tail = fields.suffix(5).map(String.init)
        guard let sessionID = UInt64(decimal: tail[0]), let version = UInt64(decimal: tail[1]),
            let ipVersion = IPVersion(rawValue: tail[3])
        else { return nil }
        self.init(
            userName: fields.dropLast(5).map(String.init).joined(separator: " "), sessionID: sessionID,
            version: version, ipVersion: ipVersion, address: tail[4])
    }
}

extension SessionDescription.Connection {
    /// `IN IP4 <address>[/<ttl>[/<count>]]` or `IN IP6 <address>[/<count>]`.
    init?(_ value: Substring) {
        let fields = value.fields
        guard fields.count >= 3, let ipVersion = IPVersion(rawValue: String(fields[1])) else { return nil }
        let parts = fields[2].pieces(separatedBy: "/").map(String.init)
        guard let address = parts.first, fields[2].utf8.first != UInt8(ascii: "/") else { return nil }
        var numbers = parts.dropFirst()
        var timeToLive: UInt8?
        if ipVersion == .ipv4, let first = numbers.popFirst() {
            guard let hops = UInt64(decimal: first), let hops = UInt8(exactly: hops) else { return nil }
            timeToLive = hops
        }
        var addressCount: UInt16 = 1
        if let first = numbers.first {
            guard let count = UInt64(decimal: first), let count = UInt16(exactly: count), count > 0 else { return nil }
            addressCount = count
        }
        self.init(ipVersion: ipVersion, address: address, timeToLive: timeToLive, addressCount: addressCount)
    }
}

extension Bandwidth {
    /// `<bwtype>:<bandwidth>`.
    init?(_ value: Substring) {
        guard let (kind, number) = value.divided(at: ":"), !kind.trimmed.isEmpty,
            let value = UInt64(decimal: String(number.trimmed))
        else { return nil }
        self.init(kind: String(kind.trimmed), value: value)
    }
}

extension SessionDescription.Timing {
    /// `<start-time> <stop-time>`.
    init?(_ value: Substring) {
        let fields = value.fields
        guard fields.count == 2, let start = UInt64(decimal: String(fields[0])),
            let stop = UInt64(decimal: String(fields[1]))
        else { return nil }
        self.init(start: start, stop: stop)
    }
}

extension Attribute {
    /// `<name>` or `<name>:<value>`.
    init?(line value: Substring) {
        guard let (name, value) = value.divided(at: ":") else {
            guard !value.trimmed.isEmpty else { return nil }
            self.init(String(value.trimmed))
            return
        }
        guard !name.trimmed.isEmpty else { return nil }
        self.init(String(name.trimmed), String(value))
    }
}

extension MediaDescription {
    /// `<media> <port>[/<number of ports>] <proto> <fmt> …`.
    init?(_ value: Substring) {
        let fields = value.fields
        guard fields.count >= 4 else { return nil }
        let ports = fields[1].pieces(separatedBy: "/").map { UInt64(decimal: String($0)) }
        guard let first = ports.first ?? nil, let port = UInt16(exactly: first), ports.count <= 2,
            let count = ports.count == 2 ? ports[1] : 1, (1...32_768).contains(count)
        else { return nil }
        self.init(
            kind: String(fields[0]), port: port, portCount: Int(count), transport: String(fields[2]),
            formats: fields[3...].map(String.init))
    }
}

extension UInt64 {
    /// Decimal digits and nothing else: no sign, no blank; `nil` beyond 64 bits.
    init?(decimal text: String) {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = UInt64(text) else {
            return nil
        }
        self = value
    }
}
