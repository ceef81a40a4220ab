import Wire

extension AMF0 {
    /// The bytes of values, one after the other.
    public static func bytes(of values: [Value]) -> [UInt8] {
        var writer = ByteWriter(capacity: 128)
        for value in values { writer.amf0(value) }
        return writer.bytes
    }
}

extension ByteWriter {
    fileprivate mutating func amf0(_ value: AMF0.Value) {
        switch value {
        case .number(let number):
            uint8(AMF0.Marker.number)
            uint64(number.bitPattern)
        case .boolean(let boolean):
            uint8(AMF0.Marker.boolean)
            uint8(boolean ? 1 : 0)
        case .string(let string): amf0(string)
        case .object(let object):
            uint8(AMF0.Marker.object)
            amf0(object)
        case .ecmaArray(let object):
            uint8(AMF0.Marker.ecmaArray)
            uint32(UInt32(truncatingIfNeeded: object.properties.count))
            amf0(object)
        case .strictArray(let values):
            uint8(AMF0.Marker.strictArray)
            uint32(UInt32(truncatingIfNeeded: values.count))
            for value in values { amf0(value) }
        case .date(let milliseconds):
            uint8(AMF0.Marker.date)
            uint64(milliseconds.bitPattern)
            uint16(0)
        case .null: uint8(AMF0.Marker.null)
        case .undefined: uint8(AMF0.Marker.undefined)
        }
    }

    private mutating func amf0(_ string: String) {
        let bytes = Array(string.utf8)
        if let byteCount = UInt16(exactly: bytes.count) {
            uint8(AMF0.Marker.string)
            uint16(byteCount)
        } else {
            uint8(AMF0.Marker.longString)
            uint32(UInt32(truncatingIfNeeded: bytes.count))
        }
        append(bytes)
    }

    /// Properties, and the end of the object (AMF 0 specification, section 2.5). A name is cut after 65 535 bytes.
    private mutating func amf0(_ object: AMF0.Object) {
        for property in object.properties {
            let name = property.name.utf8.prefix(0xFFFF)
            uint16(UInt16(name.count))
            append(name)
            amf0(property.value)
        }
        uint16(0)
        uint8(AMF0.Marker.objectEnd)
    }
}
