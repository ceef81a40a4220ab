/// The protocol version of a message, `RTSP/major.minor`.
public struct Version: Hashable, Sendable, CustomStringConvertible {
    public let major: Int
    public let minor: Int

    public init(major: Int, minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// RTSP/1.0 (RFC 2326), the one that Apus speaks.
    public static let one = Version(major: 1, minor: 0)

    /// Reads `RTSP/1.0`, in any case; `nil` for another protocol or no numbers.
    init?(_ text: Substring) {
        guard text.startsSame(as: "RTSP/"),
            let (major, minor) = text.dropFirst(5).halves(around: "."),
            let major = major.decimal(maximumDigits: 4), let minor = minor.decimal(maximumDigits: 4)
        else { return nil }
        self.init(major: major, minor: minor)
    }

    public var description: String { "RTSP/\(major).\(minor)" }
}

/// What a client asks of a server (RFC 2326, section 6).
public struct Request: Hashable, Sendable {
    public var method: Method
    /// The request URI as it stands on the wire: `*` or a URL, see ``RequestURL``.
    public var target: String
    public var version: Version
    public var headers: Headers
    public var body: [UInt8]

    public init(
        _ method: Method, _ target: String, version: Version = .one, headers: Headers = [:], body: [UInt8] = []
    ) {
        self.method = method
        self.target = target
        self.version = version
        self.headers = headers
        self.body = body
    }
}

extension Request: CustomStringConvertible {
    /// The request line, without credentials, and without headers, which may hold some.
    public var description: String {
        let url = target == "*" ? target : RequestURL(target)?.text ?? "a URL that is none"
        return "\(method.rawValue) \(url) \(version)"
    }
}

/// What a server answers (RFC 2326, section 7).
public struct Response: Hashable, Sendable {
    public var version: Version
    public var status: StatusCode
    /// The reason phrase: for people, never for programs.
    public var reason: String
    public var headers: Headers
    public var body: [UInt8]

    /// - Parameter reason: the RFC's phrase for `status` where `nil`.
    public init(
        _ status: StatusCode, reason: String? = nil, version: Version = .one, headers: Headers = [:],
        body: [UInt8] = []
    ) {
        self.version = version
        self.status = status
        self.reason = reason ?? status.defaultReason
        self.headers = headers
        self.body = body
    }
}
