import Wire

/// An IP address and a port, as STUN tells them.
public struct TransportAddress: Hashable, Sendable {
    public let host: Host
    public let port: UInt16

    /// The address as numbers: the first byte is the most significant.
    public enum Host: Hashable, Sendable {
        case ipv4(UInt32)
        case ipv6(high: UInt64, low: UInt64)
    }

    public init(host: Host, port: UInt16) {
        (self.host, self.port) = (host, port)
    }

    /// An address of 4 or 16 bytes in network order; `nil` for any other number of bytes.
    public init?(addressBytes: [UInt8], port: UInt16) {
        var reader = ByteReader(addressBytes.rawSpan)
        if addressBytes.count == 4, let number = reader.uint32() {
            self.init(host: .ipv4(number), port: port)
        } else if addressBytes.count == 16, let high = reader.uint64(), let low = reader.uint64() {
            self.init(host: .ipv6(high: high, low: low), port: port)
        } else {
            return nil
        }
    }
}

extension TransportAddress {
    /// The value of XOR-MAPPED-ADDRESS: the address combined with the magic cookie and the transaction identifier, so that no device on
    /// the way rewrites it (RFC 8489, section 14.2).
    func writeCombined(with transaction: STUNTransaction, to writer: inout ByteWriter) {
        writer.uint8(0)
        switch host {
        case .ipv4(let number):
            writer.uint8(1)
            writer.uint16(port ^ UInt16(STUNMessage.magicCookie >> 16))
            writer.uint32(number ^ STUNMessage.magicCookie)
        case .ipv6(let high, let low):
            writer.uint8(2)
            writer.uint16(port ^ UInt16(STUNMessage.magicCookie >> 16))
            writer.uint64(high ^ (UInt64(STUNMessage.magicCookie) << 32 | UInt64(transaction.high)))
            writer.uint64(low ^ transaction.low)
        }
    }

    /// Reads the value of XOR-MAPPED-ADDRESS; `nil` if malformed.
    init?(combined value: RawSpan, with transaction: STUNTransaction) {
        var reader = ByteReader(value)
        guard reader.skip(1), let family = reader.uint8(), let port = reader.uint16() else { return nil }
        let host: Host
        switch (family, reader.remaining) {
        case (1, 4):
            guard let number = reader.uint32() else { return nil }
            host = .ipv4(number ^ STUNMessage.magicCookie)
        case (2, 16):
            guard let high = reader.uint64(), let low = reader.uint64() else { return nil }
            host = .ipv6(
                high: high ^ (UInt64(STUNMessage.magicCookie) << 32 | UInt64(transaction.high)),
                low: low ^ transaction.low)
        default: return nil
        }
        self.init(host: host, port: port ^ UInt16(STUNMessage.magicCookie >> 16))
    }
}
