/// The status code of a response (RFC 2326, section 7.1.1).
public struct StatusCode: Hashable, Sendable, CustomStringConvertible {
    /// 100…599.
    public let code: Int

    /// `nil` outside 100…599.
    public init?(_ code: Int) {
        guard (100...599).contains(code) else { return nil }
        self.code = code
    }

    private init(known code: Int) {
        self.code = code
    }

    public static let ok = StatusCode(known: 200)
    public static let movedPermanently = StatusCode(known: 301)
    public static let found = StatusCode(known: 302)
    public static let badRequest = StatusCode(known: 400)
    public static let unauthorized = StatusCode(known: 401)
    public static let forbidden = StatusCode(known: 403)
    public static let notFound = StatusCode(known: 404)
    public static let methodNotAllowed = StatusCode(known: 405)
    public static let notAcceptable = StatusCode(known: 406)
    public static let requestEntityTooLarge = StatusCode(known: 413)
    public static let requestURITooLarge = StatusCode(known: 414)
    public static let unsupportedMediaType = StatusCode(known: 415)
    public static let parameterNotUnderstood = StatusCode(known: 451)
    public static let notEnoughBandwidth = StatusCode(known: 453)
    public static let sessionNotFound = StatusCode(known: 454)
    public static let methodNotValidInThisState = StatusCode(known: 455)
    public static let invalidRange = StatusCode(known: 457)
    public static let aggregateOperationNotAllowed = StatusCode(known: 459)
    public static let onlyAggregateOperationAllowed = StatusCode(known: 460)
    public static let unsupportedTransport = StatusCode(known: 461)
    /// RFC 4567, section 3.2.
    public static let keyManagementFailure = StatusCode(known: 463)
    public static let internalServerError = StatusCode(known: 500)
    public static let notImplemented = StatusCode(known: 501)
    public static let serviceUnavailable = StatusCode(known: 503)
    public static let versionNotSupported = StatusCode(known: 505)
    public static let optionNotSupported = StatusCode(known: 551)

    public var isSuccess: Bool { code / 100 == 2 }
    public var isRedirection: Bool { code / 100 == 3 }

    /// The RFC's reason phrase, or `Status …` for codes that this module does not use.
    public var defaultReason: String { Self.reasons[code] ?? "Status \(code)" }

    public var description: String { "\(code) \(defaultReason)" }

    private static let reasons: [Int: String] = [
        200: "OK", 301: "Moved Permanently", 302: "Moved Temporarily",
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
        406: "Not Acceptable", 413: "Request Entity Too Large", 414: "Request-URI Too Large",
        415: "Unsupported Media Type",
        451: "Parameter Not Understood", 453: "Not Enough Bandwidth", 454: "Session Not Found",
        455: "Method Not Valid in This State", 457: "Invalid Range", 459: "Aggregate Operation Not Allowed",
        460: "Only Aggregate Operation Allowed", 461: "Unsupported Transport",
        463: "Key Management Failure",
        500: "Internal Server Error", 501: "Not Implemented", 503: "Service Unavailable",
        505: "RTSP Version Not Supported", 551: "Option Not Supported",
    ]
}
