/// The parameters after the scheme of an `Authorization` header: comma-separated `name=value` (RFC 2617, section 1.2).
///
/// Any value may be quoted or unquoted, because clients differ (ffmpeg quotes `algorithm`, others do not).
struct AuthenticationParameters {
    /// By name in lower case.
    private var values: [String: String] = [:]

    /// `nil` if an element is not a parameter, a quote is not closed, or a name occurs twice, which would be ambiguous.
    init?(_ text: Substring) {
        var rest = Array(text.utf8)[...]
        Self.skipBlanks(in: &rest)
        while !rest.isEmpty {
            guard let name = Self.name(in: &rest), let value = Self.value(in: &rest), values[name] == nil else {
                return nil
            }
            values[name] = value
            guard Self.isEndOrComma(&rest) else { return nil }
        }
    }

    subscript(name: String) -> String? { values[name] }

    private static func name(in rest: inout ArraySlice<UInt8>) -> String? {
        let name = rest.prefix(while: \.isTokenByte)
        rest = rest.dropFirst(name.count)
        skipBlanks(in: &rest)
        guard !name.isEmpty, rest.popFirst() == UInt8(ascii: "=") else { return nil }
        skipBlanks(in: &rest)
        return String(decoding: name.map(\.asciiLowercased), as: UTF8.self)
    }

    private static func value(in rest: inout ArraySlice<UInt8>) -> String? {
        guard rest.first == UInt8(ascii: "\"") else {
            let value = rest.prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\"") && !$0.isLinearWhiteSpace }
            rest = rest.dropFirst(value.count)
            return value.isEmpty ? nil : String(decoding: value, as: UTF8.self)
        }
        rest = rest.dropFirst()
        var value: [UInt8] = []
        while var byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return String(decoding: value, as: UTF8.self) }
            // A quoted pair (RFC 2326, section 15.1).
            if byte == UInt8(ascii: "\\") {
                guard let escaped = rest.popFirst() else { return nil }
                byte = escaped
            }
            value.append(byte)
        }
        return nil
    }

    /// Skips commas, of which the `#rule` allows several; false if anything else follows.
    private static func isEndOrComma(_ rest: inout ArraySlice<UInt8>) -> Bool {
        skipBlanks(in: &rest)
        guard !rest.isEmpty else { return true }
        guard rest.first == UInt8(ascii: ",") else { return false }
        rest = rest.drop { $0 == UInt8(ascii: ",") || $0.isLinearWhiteSpace }
        return true
    }

    private static func skipBlanks(in rest: inout ArraySlice<UInt8>) {
        rest = rest.drop(while: \.isLinearWhiteSpace)
    }
}
