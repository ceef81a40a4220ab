/// Action Message Format, version 0: the values of commands and metadata (AMF 0 specification, 2007).
public enum AMF0 {
    /// One value.
    public indirect enum Value: Hashable, Sendable {
        case number(Double)
        case boolean(Bool)
        /// Also long strings and XML documents. Malformed UTF-8 is repaired.
        case string(String)
        /// Also typed objects, without the name of their class.
        case object(Object)
        /// An object that begins with the number of its properties. Metadata usually has this form.
        case ecmaArray(Object)
        case strictArray([Value])
        /// Milliseconds since 1970, in UTC.
        case date(Double)
        case null
        case undefined

        /// `nil` for another type.
        public var number: Double? {
            if case .number(let number) = self { number } else { nil }
        }

        /// `nil` for another type.
        public var string: String? {
            if case .string(let string) = self { string } else { nil }
        }

        /// `nil` for another type. Numbers are no booleans.
        public var boolean: Bool? {
            if case .boolean(let boolean) = self { boolean } else { nil }
        }

        /// The properties of an object or an ECMA array, because clients send either where the other is expected.
        public var object: Object? {
            switch self {
            case .object(let object), .ecmaArray(let object): object
            default: nil
            }
        }
    }

    /// Named properties in the order in which they were sent.
    public struct Object: Hashable, Sendable, ExpressibleByDictionaryLiteral {
        public private(set) var properties: [Property] = []

        public struct Property: Hashable, Sendable {
            public let name: String
            public let value: Value

            public init(name: String, value: Value) {
                self.name = name
                self.value = value
            }
        }

        public init(_ properties: [Property]) {
            self.properties = properties
        }

        public init(dictionaryLiteral elements: (String, Value)...) {
            properties = elements.map { Property(name: $0.0, value: $0.1) }
        }

        /// The last property with this name.
        public subscript(name: String) -> Value? {
            properties.last { $0.name == name }?.value
        }

        /// The last property with this name, whatever the case of its letters: some clients send `tcurl`.
        public subscript(ignoringCase name: String) -> Value? {
            self[name] ?? properties.last { $0.name.lowercased() == name.lowercased() }?.value
        }

        public mutating func append(_ name: String, _ value: Value) {
            properties.append(Property(name: name, value: value))
        }
    }

    /// The first byte of a value (section 2.1).
    enum Marker {
        static let number: UInt8 = 0x00
        static let boolean: UInt8 = 0x01
        static let string: UInt8 = 0x02
        static let object: UInt8 = 0x03
        static let null: UInt8 = 0x05
        static let undefined: UInt8 = 0x06
        static let ecmaArray: UInt8 = 0x08
        static let objectEnd: UInt8 = 0x09
        static let strictArray: UInt8 = 0x0A
        static let date: UInt8 = 0x0B
        static let longString: UInt8 = 0x0C
        static let unsupported: UInt8 = 0x0D
        static let xml: UInt8 = 0x0F
        static let typedObject: UInt8 = 0x10
    }
}
