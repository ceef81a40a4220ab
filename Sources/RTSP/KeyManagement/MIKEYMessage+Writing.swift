import Wire

extension MIKEYMessage {
    /// The serialised message. Values that exceed their length field are cut.
    public var bytes: [UInt8] {
        var payloads: [(PayloadType, (inout ByteWriter) -> Void)] = []
        if let timestamp {
            payloads.append(
                (
                    .timestamp,
                    { writer in
                        writer.uint8(0)
                        writer.uint64(timestamp)
                    }
                ))
        }
        if !random.isEmpty { payloads.append((.random, { $0.short(random) })) }
        for policy in policies { payloads.append((.policy, { $0.policy(policy) })) }
        if !keys.isEmpty { payloads.append((.keyTransport, { $0.keyTransport(keys) })) }
        var writer = ByteWriter(capacity: 256)
        writer.header(of: self, next: payloads.first?.0 ?? .last)
        for index in payloads.indices {
            writer.uint8((index + 1 < payloads.count ? payloads[index + 1].0 : .last).rawValue)
            payloads[index].1(&writer)
        }
        return writer.bytes
    }
}

extension ByteWriter {
    /// Writes the common header (section 6.1): version 1, a pre-shared key, no response expected.
    fileprivate mutating func header(of message: MIKEYMessage, next: MIKEYMessage.PayloadType) {
        let sessions = message.cryptoSessions.prefix(255)
        append([1, 0, next.rawValue, 0])
        uint32(message.bundle)
        append([UInt8(sessions.count), 0])
        for session in sessions {
            uint8(session.policy)
            uint32(session.ssrc)
            uint32(session.rolloverCounter)
        }
    }

    fileprivate mutating func policy(_ policy: MIKEYMessage.Policy) {
        var parameters = ByteWriter()
        for parameter in policy.parameters {
            parameters.uint8(parameter.type)
            parameters.short(parameter.value)
        }
        append([policy.number, 0])
        long(parameters.bytes)
    }

    /// Writes KEMAC with NULL encryption and without a MAC.
    fileprivate mutating func keyTransport(_ keys: [MIKEYMessage.KeyData]) {
        var data = ByteWriter()
        for (index, key) in keys.enumerated() {
            let next = index + 1 < keys.count ? MIKEYMessage.PayloadType.keyData : .last
            data.uint8(next.rawValue)
            data.keyData(key)
        }
        uint8(0)
        long(data.bytes)
        uint8(0)
    }

    private mutating func keyData(_ data: MIKEYMessage.KeyData) {
        let type = data.kind.rawValue | (data.salt.isEmpty ? 0 : 1)
        uint8(type << 4 | (data.identifier.isEmpty ? 0 : 1))
        long(data.key)
        if !data.salt.isEmpty { long(data.salt) }
        if !data.identifier.isEmpty { short(data.identifier) }
    }

    /// Writes a length of one byte, then the bytes.
    fileprivate mutating func short(_ bytes: [UInt8]) {
        let bytes = bytes.prefix(255)
        uint8(UInt8(bytes.count))
        append(bytes)
    }

    /// Writes a length of two bytes, then the bytes.
    private mutating func long(_ bytes: [UInt8]) {
        let bytes = bytes.prefix(65_535)
        uint16(UInt16(bytes.count))
        append(bytes)
    }
}
