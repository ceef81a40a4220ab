/// The header fields of a message in their order. Comparison of names ignores case (RFC 2326, section 4.2).
public struct Headers: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    public struct Field: Hashable, Sendable {
        public let name: HeaderName
        public let value: String
    }

    public private(set) var fields: [Field] = []

    public init() {}

    public init(dictionaryLiteral elements: (HeaderName, String)...) {
        fields = elements.map { Field(name: $0, value: $1) }
    }

    /// The first value of `name`. Setting it replaces all values; `nil` removes them.
    public subscript(name: HeaderName) -> String? {
        get { fields.first { $0.name == name }?.value }
        set {
            guard let newValue else { return fields.removeAll { $0.name == name } }
            guard let index = fields.firstIndex(where: { $0.name == name }) else {
                return append(name, newValue)
            }
            fields[index] = Field(name: name, value: newValue)
            let later = fields[(index + 1)...].filter { $0.name != name }
            fields.replaceSubrange((index + 1)..., with: later)
        }
    }

    /// All values of `name` in their order.
    public func values(of name: HeaderName) -> [String] {
        fields.lazy.filter { $0.name == name }.map(\.value)
    }

    /// The elements of all comma-separated values of `name`. Several fields are equivalent to one list (section 4.2).
    public func list(of name: HeaderName) -> [String] {
        values(of: name).flatMap { $0.pieces(separatedBy: ",").map(String.init) }
    }

    public mutating func append(_ name: HeaderName, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Appends the continuation of a folded line to the last value; false if there is no field yet.
    mutating func fold(_ continuation: Substring) -> Bool {
        guard let last = fields.popLast() else { return false }
        let value = last.value.isEmpty ? String(continuation) : "\(last.value) \(continuation)"
        append(last.name, value)
        return true
    }
}

/// The name of a header field. Comparison ignores case.
public struct HeaderName: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name in its original case.
    public let text: String
    private let lowercased: String

    public init(_ text: String) {
        self.text = text
        lowercased = String(decoding: text.utf8.map(\.asciiLowercased), as: UTF8.self)
    }

    public init(stringLiteral text: String) {
        self.init(text)
    }

    public static func == (left: Self, right: Self) -> Bool { left.lowercased == right.lowercased }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(lowercased)
    }

    public var description: String { text }

    public static let accept: HeaderName = "Accept"
    public static let allow: HeaderName = "Allow"
    public static let authorization: HeaderName = "Authorization"
    public static let contentBase: HeaderName = "Content-Base"
    public static let contentLength: HeaderName = "Content-Length"
    public static let contentLocation: HeaderName = "Content-Location"
    public static let contentType: HeaderName = "Content-Type"
    public static let cSeq: HeaderName = "CSeq"
    public static let location: HeaderName = "Location"
    public static let proxyRequire: HeaderName = "Proxy-Require"
    public static let `public`: HeaderName = "Public"
    public static let range: HeaderName = "Range"
    public static let require: HeaderName = "Require"
    public static let retryAfter: HeaderName = "Retry-After"
    public static let rtpInfo: HeaderName = "RTP-Info"
    public static let server: HeaderName = "Server"
    public static let session: HeaderName = "Session"
    public static let transport: HeaderName = "Transport"
    public static let unsupported: HeaderName = "Unsupported"
    public static let userAgent: HeaderName = "User-Agent"
    public static let wwwAuthenticate: HeaderName = "WWW-Authenticate"
}
