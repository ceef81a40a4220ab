import NIOCore
import NIOHTTP1
import Streams

/// The response to a request, whole.
public struct Response: Sendable {
    public var status: Status
    /// Names and values, in their order. The length, the date and the headers for security are added.
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]
    /// Memory that other responses share, in place of `body`.
    var shared: ByteBuffer?
    /// The memory of a large body, which counts until it has been sent or the connection has closed.
    public var charge: MemoryBudget.Charge?

    public init(_ status: Status = .ok, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }

    /// A text of one media type.
    public init(_ text: String, as mediaType: String, _ status: Status = .ok) {
        self.init(status, headers: [("Content-Type", mediaType)], body: Array(text.utf8))
    }

    var byteCount: Int { shared?.readableBytes ?? body.count }

    /// A status code (RFC 9110, section 15).
    public struct Status: Hashable, Sendable {
        public let code: Int

        public init(_ code: Int) { self.code = code }

        public static let ok = Status(200)
        public static let created = Status(201)
        public static let accepted = Status(202)
        public static let noContent = Status(204)
        public static let partialContent = Status(206)
        public static let notModified = Status(304)
        public static let badRequest = Status(400)
        public static let unauthorized = Status(401)
        public static let forbidden = Status(403)
        public static let notFound = Status(404)
        public static let methodNotAllowed = Status(405)
        public static let notAcceptable = Status(406)
        public static let requestTimeout = Status(408)
        public static let conflict = Status(409)
        public static let preconditionFailed = Status(412)
        public static let unsupportedMediaType = Status(415)
        public static let rangeNotSatisfiable = Status(416)
        public static let misdirectedRequest = Status(421)
        public static let unprocessableContent = Status(422)
        public static let upgradeRequired = Status(426)
        public static let tooManyRequests = Status(429)
        public static let internalServerError = Status(500)
        public static let serviceUnavailable = Status(503)

        /// The phrase of the RFC.
        public var phrase: String { HTTPResponseStatus(statusCode: code).reasonPhrase }
    }
}
