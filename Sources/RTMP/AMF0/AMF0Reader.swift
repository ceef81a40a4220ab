import Wire

extension AMF0 {
    /// Reads values. References and AMF3 values, which no known client sends in RTMP, are errors.
    public struct Reader: ~Escapable {
        /// What a message may contain.
        public struct Limits: Hashable, Sendable {
            /// Objects inside each other: the metadata of enhanced RTMP has three levels.
            public var depth = 8
            /// Values and properties of one message. The metadata of FFmpeg has about twenty.
            public var valueCount = 1024

            public init() {}
        }

        private var reader: ByteReader
        private let limits: Limits
        private var valueCount = 0

        @_lifetime(copy bytes)
        public init(_ bytes: RawSpan, limits: Limits = Limits()) {
            reader = ByteReader(bytes)
            self.limits = limits
        }

        public var isAtEnd: Bool { reader.remaining == 0 }

        /// Reads the next value.
        @_lifetime(self: copy self)
        public mutating func value() throws(RTMPError) -> Value {
            try value(depth: 0)
        }

        /// Reads all values up to the end.
        @_lifetime(self: copy self)
        public mutating func values() throws(RTMPError) -> [Value] {
            var values: [Value] = []
            while !isAtEnd { values.append(try value()) }
            return values
        }

        @_lifetime(self: copy self)
        private mutating func value(depth: Int) throws(RTMPError) -> Value {
            guard depth <= limits.depth else { throw .dataTooDeep(limit: limits.depth) }
            valueCount += 1
            guard valueCount <= limits.valueCount else { throw .tooManyValues(limit: limits.valueCount) }
            guard let marker = reader.uint8() else { throw .truncatedData }
            switch marker {
            case Marker.number: return .number(try number())
            case Marker.boolean: return .boolean(try known(reader.uint8()) != 0)
            case Marker.string: return .string(try string())
            case Marker.longString, Marker.xml: return .string(try text(byteCount: Int(known(reader.uint32()))))
            case Marker.object: return .object(try object(depth: depth))
            case Marker.typedObject:
                _ = try string()
                return .object(try object(depth: depth))
            case Marker.ecmaArray:
                // The number of properties is only a hint (section 2.10): FFmpeg may write another one.
                _ = try known(reader.uint32())
                return .ecmaArray(try object(depth: depth))
            case Marker.strictArray: return .strictArray(try array(depth: depth))
            case Marker.date:
                let milliseconds = try number()
                // The time zone is reserved (section 2.13).
                _ = try known(reader.uint16())
                return .date(milliseconds)
            case Marker.null: return .null
            case Marker.undefined, Marker.unsupported: return .undefined
            default: throw .unsupportedDataType(marker)
            }
        }

        @_lifetime(self: copy self)
        private mutating func object(depth: Int) throws(RTMPError) -> Object {
            var object = Object([])
            while true {
                let name = try string()
                if name.isEmpty, try isObjectEnd() { return object }
                object.append(name, try value(depth: depth + 1))
            }
        }

        /// Skips the marker behind the last property. An empty name is also allowed for a property.
        @_lifetime(self: copy self)
        private mutating func isObjectEnd() throws(RTMPError) -> Bool {
            var ahead = reader
            guard try known(ahead.uint8()) == Marker.objectEnd else { return false }
            return reader.skip(1)
        }

        @_lifetime(self: copy self)
        private mutating func array(depth: Int) throws(RTMPError) -> [Value] {
            let count = try known(reader.uint32())
            var values: [Value] = []
            // Each value has at least one byte, so the loop ends with the input, whatever the count says.
            for _ in 0..<count { values.append(try value(depth: depth + 1)) }
            return values
        }

        @_lifetime(self: copy self)
        private mutating func number() throws(RTMPError) -> Double {
            Double(bitPattern: try known(reader.uint64()))
        }

        @_lifetime(self: copy self)
        private mutating func string() throws(RTMPError) -> String {
            try text(byteCount: Int(known(reader.uint16())))
        }

        @_lifetime(self: copy self)
        private mutating func text(byteCount: Int) throws(RTMPError) -> String {
            guard let bytes = reader.take(byteCount) else { throw .truncatedData }
            return String(decoding: [UInt8](bytes), as: UTF8.self)
        }

        private func known<Field>(_ field: Field?) throws(RTMPError) -> Field {
            guard let field else { throw .truncatedData }
            return field
        }
    }
}
