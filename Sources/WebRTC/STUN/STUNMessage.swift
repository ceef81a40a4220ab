import Wire

/// A message of STUN, by which ICE checks a path (RFC 8489, section 5).
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// |0 0|    class and method       |  length: bytes after the header |
/// |                  magic cookie: 0x2112A442                     |
/// |                 transaction identifier (96 bits)              |
/// |  attribute: type              |  length of the value          |
/// |  value, padded to whole words …                               |
/// ```
public struct STUNMessage: Hashable, Sendable {
    public var kind: Kind
    /// 1 is Binding, the only method of ICE.
    public var method: UInt16
    public let transaction: STUNTransaction
    /// The attributes before MESSAGE-INTEGRITY. Those behind it are not protected, so they are ignored (section 14.5).
    public var attributes: [STUNAttribute]
    /// Where MESSAGE-INTEGRITY was in the datagram, and its code; `nil` for a message without it.
    private(set) var integrity: Integrity?

    public enum Kind: UInt16, Hashable, Sendable {
        case request = 0x000
        case indication = 0x010
        case success = 0x100
        case error = 0x110
    }

    struct Integrity: Hashable, Sendable {
        /// The offset of the attribute.
        let offset: Int
        let code: [UInt8]
    }

    public init(_ kind: Kind, method: UInt16 = binding, transaction: STUNTransaction, attributes: [STUNAttribute] = [])
    {
        precondition(method < 0x1000, "a method has twelve bits")
        (self.kind, self.method, self.transaction, self.attributes) = (kind, method, transaction, attributes)
    }

    /// The method by which ICE checks a path.
    public static let binding: UInt16 = 1
    static let magicCookie: UInt32 = 0x2112_A442
    static let headerByteCount = 20
    /// The bytes of MESSAGE-INTEGRITY: a code of HMAC-SHA1.
    static let codeByteCount = 20

    /// Parses a datagram that contains one message and nothing else.
    ///
    /// - Returns: `nil` if it is no STUN, if its length or an attribute does not fit, or if its FINGERPRINT is wrong.
    public init?(parsing datagram: RawSpan) {
        var reader = ByteReader(datagram)
        guard let type = reader.uint16(), type < 0x4000, let length = reader.uint16().map(Int.init),
            length == datagram.byteCount - Self.headerByteCount, length.isMultiple(of: 4),
            reader.uint32() == Self.magicCookie, let transaction = STUNTransaction(&reader),
            let kind = Kind(rawValue: type & 0x0110)
        else { return nil }
        self.init(kind, method: Self.method(of: type), transaction: transaction)
        while reader.remaining > 0 {
            let offset = reader.offset
            guard let type = reader.uint16(), let byteCount = reader.uint16().map(Int.init),
                let value = reader.take(byteCount), reader.skip((4 - byteCount % 4) % 4)
            else { return nil }
            switch type {
            case STUNAttribute.Kind.fingerprint:
                // It is the last attribute (section 14.7).
                guard reader.remaining == 0, value.byteCount == 4,
                    [UInt8](value) == fingerprint(of: datagram.extracting(0..<offset))
                else { return nil }
            case STUNAttribute.Kind.messageIntegrity where integrity == nil:
                guard value.byteCount == Self.codeByteCount else { return nil }
                integrity = Integrity(offset: offset, code: [UInt8](value))
            default:
                if integrity == nil {
                    attributes.append(STUNAttribute(type: type, value: value, transaction: transaction))
                }
            }
        }
    }

    /// The twelve bits of the method, which the two bits of the class divide (section 5).
    private static func method(of type: UInt16) -> UInt16 {
        type & 0x000F | (type & 0x00E0) >> 1 | (type & 0x3E00) >> 2
    }

    private var type: UInt16 {
        kind.rawValue | method & 0x000F | (method & 0x0070) << 1 | (method & 0x0F80) << 2
    }
}

extension STUNMessage {
    /// The bytes of the message, with MESSAGE-INTEGRITY if there is a key, and FINGERPRINT.
    public func encoded(key: [UInt8]?, authenticate: MessageAuthentication) -> [UInt8] {
        var writer = ByteWriter(capacity: 128)
        writer.uint16(type)
        writer.uint16(0)
        writer.uint32(Self.magicCookie)
        transaction.write(to: &writer)
        for attribute in attributes {
            writer.uint16(attribute.type)
            let lengthOffset = writer.bytes.count
            writer.uint16(0)
            attribute.writeValue(to: &writer, transaction: transaction)
            writer.patch(
                uint16: UInt16(truncatingIfNeeded: writer.bytes.count - lengthOffset - 2), at: lengthOffset)
            while !writer.bytes.count.isMultiple(of: 4) { writer.uint8(0) }
        }
        if let key {
            writer.patchLength(beyond: 4 + Self.codeByteCount)
            let code = authenticate(writer.bytes, key)
            writer.uint16(STUNAttribute.Kind.messageIntegrity)
            writer.uint16(UInt16(Self.codeByteCount))
            writer.append(code)
        }
        writer.patchLength(beyond: 8)
        let checksum = fingerprint(of: writer.bytes.rawSpan)
        writer.uint16(STUNAttribute.Kind.fingerprint)
        writer.uint16(4)
        writer.append(checksum)
        return writer.bytes
    }

    /// Whether the message has a MESSAGE-INTEGRITY, and the owner of `key` has made it.
    ///
    /// - Parameter datagram: the bytes from which the message was parsed.
    public func isAuthentic(in datagram: RawSpan, key: [UInt8], authenticate: MessageAuthentication) -> Bool {
        guard let integrity, integrity.offset >= Self.headerByteCount, integrity.offset <= datagram.byteCount else {
            return false
        }
        var writer = ByteWriter(capacity: integrity.offset)
        writer.append(datagram.extracting(0..<integrity.offset))
        // The code covers the bytes before it, with the length as if the message ended behind it (section 14.5).
        writer.patchLength(beyond: 4 + Self.codeByteCount)
        let code = authenticate(writer.bytes, key)
        guard code.count == integrity.code.count else { return false }
        // All bytes are compared, so that the time does not tell how many were right.
        return zip(code, integrity.code).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// The left half of USERNAME, which names the receiver's session (RFC 8445, section 7.2.2).
    public var localFragment: String? {
        for case .userName(let name) in attributes {
            guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            return String(name[..<colon])
        }
        return nil
    }
}

extension ByteWriter {
    /// Writes the length of a STUN message that has `byteCount` bytes more than were written.
    fileprivate mutating func patchLength(beyond byteCount: Int) {
        patch(uint16: UInt16(truncatingIfNeeded: bytes.count - STUNMessage.headerByteCount + byteCount), at: 2)
    }
}
