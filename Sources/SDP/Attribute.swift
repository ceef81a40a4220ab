/// An `a=` line: a flag, or a name with a value (RFC 8866, section 5.13).
public struct Attribute: Hashable, Sendable {
    /// The text before the colon; never empty.
    public var name: String
    /// The text after the colon; `nil` for a flag such as `recvonly`.
    public var value: String?

    public init(_ name: String, _ value: String? = nil) {
        precondition(!name.isEmpty, "an attribute has a name")
        self.name = name
        self.value = value
    }
}

extension [Attribute] {
    /// The value of the first attribute of that name that has a value, trimmed.
    ///
    /// Names are case-insensitive, because some devices write `a=Control:`.
    public func value(of name: String) -> String? {
        values(of: name).first
    }

    /// The values of all attributes of that name, in order.
    public func values(of name: String) -> [String] {
        compactMap { attribute in
            attribute.name.equalsIgnoringCase(name) ? attribute.value.map { String(Substring($0).trimmed) } : nil
        }
    }

    /// Whether there is an attribute of that name, with a value or without.
    public func contains(_ name: String) -> Bool {
        contains { $0.name.equalsIgnoringCase(name) }
    }
}

extension Attribute {
    /// Parses `<name>` or `<name>:<value>`; `nil` if the name is empty.
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
