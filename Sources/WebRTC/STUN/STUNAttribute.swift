import Wire

/// An attribute of a STUN message (RFC 8489, section 14; RFC 8445, section 16.1). MESSAGE-INTEGRITY and FINGERPRINT belong to the
/// message as a whole: ``STUNMessage``.
public enum STUNAttribute: Hashable, Sendable {
    /// USERNAME: the fragments of the receiver and of the sender, divided by a colon (RFC 8445, section 7.2.2).
    case userName(String)
    /// XOR-MAPPED-ADDRESS: where the request came from.
    case mappedAddress(TransportAddress)
    /// PRIORITY of the sender's candidate.
    case priority(UInt32)
    /// USE-CANDIDATE: the controlling agent nominates the pair.
    case useCandidate
    /// ICE-CONTROLLED, with the tie-breaker.
    case controlled(UInt64)
    /// ICE-CONTROLLING, with the tie-breaker.
    case controlling(UInt64)
    /// ERROR-CODE: 300 to 699, with the reason in words.
    case errorCode(UInt16, reason: String)
    /// UNKNOWN-ATTRIBUTES: the types that the sender of the error does not know.
    case unknownAttributes([UInt16])
    /// Any other attribute, or one of the above whose value is malformed.
    case other(type: UInt16, [UInt8])

    /// The types of attributes.
    enum Kind {
        static let userName: UInt16 = 0x0006
        static let messageIntegrity: UInt16 = 0x0008
        static let errorCode: UInt16 = 0x0009
        static let unknownAttributes: UInt16 = 0x000A
        /// Not needed, because a message of ICE has MESSAGE-INTEGRITY, too.
        static let messageIntegritySHA256: UInt16 = 0x001C
        static let mappedAddress: UInt16 = 0x0020
        static let priority: UInt16 = 0x0024
        static let useCandidate: UInt16 = 0x0025
        static let fingerprint: UInt16 = 0x8028
        static let controlled: UInt16 = 0x8029
        static let controlling: UInt16 = 0x802A
    }

    /// The type in the message.
    public var type: UInt16 {
        switch self {
        case .userName: Kind.userName
        case .mappedAddress: Kind.mappedAddress
        case .priority: Kind.priority
        case .useCandidate: Kind.useCandidate
        case .controlled: Kind.controlled
        case .controlling: Kind.controlling
        case .errorCode: Kind.errorCode
        case .unknownAttributes: Kind.unknownAttributes
        case .other(let type, _): type
        }
    }

    /// Whether a receiver that does not know the attribute must refuse the message (RFC 8489, section 14).
    static func mustBeKnown(_ type: UInt16) -> Bool { type < 0x8000 && type != Kind.messageIntegritySHA256 }
}

extension STUNAttribute {
    /// Reads a value; one that is malformed becomes `other`.
    init(type: UInt16, value: RawSpan, transaction: STUNTransaction) {
        self = Self.known(type, value, transaction) ?? .other(type: type, [UInt8](value))
    }

    private static func known(_ type: UInt16, _ value: RawSpan, _ transaction: STUNTransaction) -> Self? {
        var reader = ByteReader(value)
        switch (type, value.byteCount) {
        case (Kind.userName, ..<maximumUserNameByteCount):
            let bytes = [UInt8](value)
            let name = String(decoding: bytes, as: UTF8.self)
            return name.utf8.elementsEqual(bytes) ? .userName(name) : nil
        case (Kind.mappedAddress, _): return TransportAddress(combined: value, with: transaction).map(mappedAddress)
        case (Kind.priority, 4): return reader.uint32().map(priority)
        case (Kind.useCandidate, 0): return .useCandidate
        case (Kind.controlled, 8): return reader.uint64().map(controlled)
        case (Kind.controlling, 8): return reader.uint64().map(controlling)
        case (Kind.errorCode, 4...): return error(&reader)
        case (Kind.unknownAttributes, _) where value.byteCount.isMultiple(of: 2):
            var types: [UInt16] = []
            while let type = reader.uint16() { types.append(type) }
            return .unknownAttributes(types)
        default: return nil
        }
    }

    /// A user name has less than 509 bytes (RFC 8489, section 14.3).
    private static let maximumUserNameByteCount = 509

    @_lifetime(reader: copy reader)
    private static func error(_ reader: inout ByteReader) -> Self? {
        guard reader.skip(2), let hundreds = reader.uint8(), let rest = reader.uint8(), rest < 100 else { return nil }
        let bytes = [UInt8](reader.takeRest())
        let reason = String(decoding: bytes, as: UTF8.self)
        guard hundreds & 7 > 0, hundreds < 8, reason.utf8.elementsEqual(bytes) else { return nil }
        return .errorCode(UInt16(hundreds) * 100 + UInt16(rest), reason: reason)
    }

    func writeValue(to writer: inout ByteWriter, transaction: STUNTransaction) {
        switch self {
        case .userName(let name): writer.append(name.utf8)
        case .mappedAddress(let address): address.writeCombined(with: transaction, to: &writer)
        case .priority(let priority): writer.uint32(priority)
        case .useCandidate: break
        case .controlled(let tieBreaker), .controlling(let tieBreaker): writer.uint64(tieBreaker)
        case .errorCode(let code, let reason):
            writer.uint16(0)
            writer.uint8(UInt8(truncatingIfNeeded: code / 100))
            writer.uint8(UInt8(code % 100))
            writer.append(reason.utf8)
        case .unknownAttributes(let types):
            for type in types { writer.uint16(type) }
        case .other(_, let value): writer.append(value)
        }
    }
}
