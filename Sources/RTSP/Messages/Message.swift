/// The protocol version of a message, `RTSP/major.minor`.
public struct Version: Hashable, Sendable, CustomStringConvertible {
    public let major: Int
    public let minor: Int

    public init(major: Int, minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// RTSP/1.0 (RFC 2326), the version of Apus.
    public static let one = Version(major: 1, minor: 0)

    /// Reads `RTSP/1.0`, ignoring case; `nil` for another protocol or invalid numbers.
    init?(_ text: Substring) {
        guard text.hasPrefixIgnoringCase("RTSP/"),
            let (major, minor) = text.dropFirst(5).halves(around: "."),
            let major = major.decimal(maximumDigits: 4), let minor = minor.decimal(maximumDigits: 4)
        else { return nil }
        self.init(major: major, minor: minor)
    }

    public var description: String { "RTSP/\(major).\(minor)" }
}

/// An RTSP request (RFC 2326, section 6).
public struct Request: Hashable, Sendable {
    public var method: Method
    /// The request URI as received: `*` or a URL, see ``RequestURL``.
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
    /// The request line without credentials. The headers are left out because they may contain credentials.
    public var description: String {
        let url = target == "*" ? target : RequestURL(target)?.text ?? "(invalid URL)"
        return "\(method.rawValue) \(url) \(version)"
    }
}

/// An RTSP response (RFC 2326, section 7).
public struct Response: Hashable, Sendable {
    public var version: Version
    public var status: StatusCode
    /// The reason phrase, which is for people and not for programs.
    public var reason: String
    public var headers: Headers
    public var body: [UInt8]

    /// - Parameter reason: if `nil`, the RFC's phrase for `status`.
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
