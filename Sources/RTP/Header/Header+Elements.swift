import Wire

extension Header {
    /// The value of an extension element in the one-byte form (RFC 8285, section 4.2); `nil` if the header has none with this identifier.
    func element(_ identifier: UInt8) -> [UInt8]? {
        guard let headerExtension, headerExtension.profile == Extension.oneByteProfile else { return nil }
        var reader = ByteReader(headerExtension.data.rawSpan)
        while let head = reader.uint8() {
            // A zero byte is padding. An element with identifier 15 ends the elements.
            if head == 0 { continue }
            guard head >> 4 != 15, let element = reader.take(Int(head & 0x0F) + 1) else { return nil }
            if head >> 4 == identifier { return [UInt8](element) }
        }
        return nil
    }

    /// The packet's number for transport-wide feedback.
    public func transportSequenceNumber(identifier: UInt8) -> SequenceNumber? {
        guard let value = element(identifier), value.count == 2 else { return nil }
        return SequenceNumber(UInt16(value[0]) << 8 | UInt16(value[1]))
    }
}
