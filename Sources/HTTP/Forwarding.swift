/// What proxies say about the client of a request: `Forwarded` (RFC 7239), or `X-Forwarded-For` and `X-Forwarded-Proto`.
///
/// Each proxy appends the address that it has seen, so only what trusted proxies have appended is true: the last elements.
public struct Forwarding: Hashable, Sendable {
    /// The clients of the proxies, the last one of the nearest proxy; `nil` for an element without an address.
    public let clients: [String?]
    /// Whether the nearest proxy says that its client used TLS.
    public let isSecure: Bool
    /// Whether a proxy is mentioned at all, in whatever form.
    public let isMentioned: Bool

    /// - Parameters:
    ///   - forwarded: the values of `Forwarded`, in their order.
    ///   - xForwardedFor: those of `X-Forwarded-For`.
    ///   - xForwardedProto: those of `X-Forwarded-Proto`.
    ///   - via: those of `Via`.
    public init(forwarded: [String], xForwardedFor: [String], xForwardedProto: [String], via: [String]) {
        isMentioned = ![forwarded, xForwardedFor, xForwardedProto, via].allSatisfy(\.isEmpty)
        guard forwarded.isEmpty else {
            let elements = Self.elements(forwarded).map(Self.parameters)
            clients = elements.map { $0["for"].flatMap(Self.address) }
            isSecure = elements.last?["proto"].map { $0.utf8.equalsIgnoringCase("https") } ?? false
            return
        }
        clients = Self.elements(xForwardedFor).map { Self.address(String(decoding: $0, as: UTF8.self)) }
        isSecure = Self.elements(xForwardedProto).last.map { $0.equalsIgnoringCase("https") } ?? false
    }

    /// The client that the nearest trusted proxy has seen: the last address that is not one of a trusted proxy itself.
    ///
    /// - Returns: `nil` if it is unknown.
    public func client(isTrusted: (String) -> Bool) -> String? {
        for client in clients.reversed() {
            guard let client else { return nil }
            if !isTrusted(client) { return client }
        }
        return nil
    }

    /// Splits the values at commas outside quoted strings.
    private static func elements(_ values: [String]) -> [ArraySlice<UInt8>] {
        values.flatMap { split($0.utf8, at: UInt8(ascii: ",")) }
    }

    private static func split(_ bytes: some Sequence<UInt8>, at separator: UInt8) -> [ArraySlice<UInt8>] {
        var (isQuoted, isEscaped) = (false, false)
        return Array(bytes)[...].split(omittingEmptySubsequences: false) { byte in
            if isEscaped {
                isEscaped = false
                return false
            }
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte == UInt8(ascii: "\\") { isEscaped = isQuoted }
            return !isQuoted && byte == separator
        }.map(\.trimmed).filter { !$0.isEmpty }
    }

    /// The parameters of an element: `for=192.0.2.7;proto=https`.
    private static func parameters(_ element: ArraySlice<UInt8>) -> [String: String] {
        var parameters: [String: String] = [:]
        for piece in split(element, at: UInt8(ascii: ";")) {
            guard let end = piece.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let name = String(decoding: piece[..<end].trimmed.map(\.lowercased), as: UTF8.self)
            parameters[name] = unquoted(piece[end...].dropFirst().trimmed)
        }
        return parameters
    }

    private static func unquoted(_ bytes: ArraySlice<UInt8>) -> String {
        guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else {
            return String(decoding: bytes, as: UTF8.self)
        }
        return String(decoding: bytes.dropFirst().dropLast().filter { $0 != UInt8(ascii: "\\") }, as: UTF8.self)
    }

    /// The address of a node, without its port: `192.0.2.7:4711`, `[2001:db8::7]:4711`; bare IPv6 addresses occur in
    /// `X-Forwarded-For`. `nil` for `unknown` and for obfuscated names.
    private static func address(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        let isBareIPv6 = bytes.first != UInt8(ascii: "[") && bytes.count { $0 == UInt8(ascii: ":") } > 1
        guard let authority = Authority(isBareIPv6 ? "[\(text)]" : text),
            authority.isInBrackets || authority.host.utf8.allSatisfy({ $0.isDigit || $0 == UInt8(ascii: ".") })
        else { return nil }
        return authority.host
    }
}
