import Wire

extension MIKEYMessage {
    public init(parsing bytes: [UInt8]) throws(MIKEYFailure) {
        guard bytes.count <= Self.maximumByteCount else { throw .tooLong(byteCount: bytes.count) }
        self.init(bundle: 0, cryptoSessions: [], timestamp: nil, random: [], policies: [], keys: [])
        var cursor = Cursor(bytes.rawSpan)
        var next = try readHeader(&cursor)
        while next != .last { next = try readPayload(next, &cursor) }
    }

    /// Reads the common header (section 6.1) and returns the type of the first payload.
    @_lifetime(cursor: copy cursor)
    private mutating func readHeader(_ cursor: inout Cursor) throws(MIKEYFailure) -> PayloadType {
        let version = try cursor.uint8()
        guard version == 1 else { throw .unknownVersion(version) }
        let exchange = try cursor.uint8()
        guard exchange == 0 else { throw .otherExchange(exchange) }
        let next = try cursor.payloadType()
        // The V flag (whether a response is expected) and the PRF function are ignored.
        _ = try cursor.uint8()
        bundle = try cursor.uint32()
        let count = try cursor.uint8()
        let mapType = try cursor.uint8()
        guard mapType == 0 else { throw .otherProtocol(mapType) }
        for _ in 0..<count {
            cryptoSessions.append(
                CryptoSession(
                    policy: try cursor.uint8(), ssrc: try cursor.uint32(), rolloverCounter: try cursor.uint32()))
        }
        return next
    }

    /// Reads one payload and returns the type of the next one.
    @_lifetime(cursor: copy cursor)
    private mutating func readPayload(_ type: PayloadType, _ cursor: inout Cursor) throws(MIKEYFailure) -> PayloadType {
        let next = try cursor.payloadType()
        switch type {
        case .timestamp: timestamp = try cursor.timestamp()
        case .random: random = try cursor.bytes(Int(try cursor.uint8()))
        case .policy: policies.append(try cursor.policy())
        case .keyTransport: keys += try cursor.keyTransport()
        case .identity, .generalExtension:
            _ = try cursor.uint8()
            _ = try cursor.bytes(Int(try cursor.uint16()))
        case .last, .keyData: throw .unknownPayload(type.rawValue, at: cursor.offset - 1)
        }
        return next
    }
}

/// Reads fields, and throws at the byte where the data ends.
private struct Cursor: ~Escapable {
    private var reader: ByteReader

    @_lifetime(copy bytes)
    init(_ bytes: RawSpan) {
        reader = ByteReader(bytes)
    }

    var offset: Int { reader.offset }
    var isAtEnd: Bool { reader.remaining == 0 }

    @_lifetime(self: copy self)
    mutating func uint8() throws(MIKEYFailure) -> UInt8 {
        guard let value = reader.uint8() else { throw .truncated(at: offset) }
        return value
    }

    @_lifetime(self: copy self)
    mutating func uint16() throws(MIKEYFailure) -> UInt16 {
        guard let value = reader.uint16() else { throw .truncated(at: offset) }
        return value
    }

    @_lifetime(self: copy self)
    mutating func uint32() throws(MIKEYFailure) -> UInt32 {
        guard let value = reader.uint32() else { throw .truncated(at: offset) }
        return value
    }

    @_lifetime(self: copy self)
    mutating func bytes(_ count: Int) throws(MIKEYFailure) -> [UInt8] {
        guard let span = reader.take(count) else { throw .truncated(at: offset) }
        return [UInt8](span)
    }

    @_lifetime(self: copy self)
    mutating func payloadType() throws(MIKEYFailure) -> MIKEYMessage.PayloadType {
        let value = try uint8()
        guard let type = MIKEYMessage.PayloadType(rawValue: value) else { throw .unknownPayload(value, at: offset - 1) }
        return type
    }

    /// Reads T (section 6.6): an NTP time, or a counter, which is ignored.
    @_lifetime(self: copy self)
    mutating func timestamp() throws(MIKEYFailure) -> UInt64? {
        let type = try uint8()
        guard type < 2 else {
            _ = try uint32()
            return nil
        }
        let (seconds, fraction) = (try uint32(), try uint32())
        return type == 0 ? UInt64(seconds) << 32 | UInt64(fraction) : nil
    }

    /// Reads SP (section 6.10) for SRTP.
    @_lifetime(self: copy self)
    mutating func policy() throws(MIKEYFailure) -> MIKEYMessage.Policy {
        var policy = MIKEYMessage.Policy(number: try uint8(), parameters: [])
        let proto = try uint8()
        guard proto == 0 else { throw .otherProtocol(proto) }
        let count = Int(try uint16())
        let start = offset
        while offset - start < count {
            let type = try uint8()
            policy.parameters.append(.init(type: type, value: try bytes(Int(try uint8()))))
        }
        guard offset - start == count else { throw .truncated(at: start + count) }
        return policy
    }

    /// Reads KEMAC (section 6.2) with NULL encryption and without a MAC.
    @_lifetime(self: copy self)
    mutating func keyTransport() throws(MIKEYFailure) -> [MIKEYMessage.KeyData] {
        guard try uint8() == 0 else { throw .encryptedKeys }
        let data = try bytes(Int(try uint16()))
        guard try uint8() == 0 else { throw .encryptedKeys }
        var keys: [MIKEYMessage.KeyData] = []
        var cursor = Cursor(data.rawSpan)
        var hasMore = !data.isEmpty
        while hasMore {
            hasMore = try cursor.payloadType() == .keyData
            keys.append(try cursor.keyData())
        }
        guard cursor.isAtEnd else { throw .truncated(at: cursor.offset) }
        return keys
    }

    /// Reads key data (section 6.13) after its next-payload type.
    @_lifetime(self: copy self)
    mutating func keyData() throws(MIKEYFailure) -> MIKEYMessage.KeyData {
        let types = try uint8()
        // Odd types are the even ones with a salt.
        guard let kind = MIKEYMessage.KeyData.Kind(rawValue: types >> 4 & 0xE) else { throw .noKey }
        var data = MIKEYMessage.KeyData(kind: kind, key: try bytes(Int(try uint16())))
        if types >> 4 & 1 == 1 { data.salt = try bytes(Int(try uint16())) }
        switch types & 0xF {
        case 0: break
        case 1: data.identifier = try bytes(Int(try uint8()))
        case 2:
            // The key's validity interval is ignored, because sessions are shorter.
            _ = try bytes(Int(try uint8()))
            _ = try bytes(Int(try uint8()))
        default: throw .noKey
        }
        return data
    }
}
