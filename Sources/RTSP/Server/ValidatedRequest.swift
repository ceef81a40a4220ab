/// A request that passed the checks that all methods share. If several checks fail, the first one decides
/// the answer.
struct ValidatedRequest: Sendable {
    let method: Method
    /// `nil` for `*`.
    let url: RequestURL?
    let headers: Headers
    let body: [UInt8]
    /// The first 256 bytes of the client's `User-Agent`.
    let userAgent: String?

    init(_ request: Request) throws(Refusal) {
        guard Method.served.contains(request.method) || Method.known.contains(request.method) else {
            throw Refusal(.notImplemented)
        }
        let required = request.headers.list(of: .require) + request.headers.list(of: .proxyRequire)
        // This server supports no options. ONVIF's backchannel would be one.
        guard required.isEmpty else {
            let tags = required.filter { $0.utf8.allSatisfy { $0.isTokenByte || $0 == UInt8(ascii: "/") } }
            throw Refusal(.optionNotSupported, headers: [.unsupported: tags.joined(separator: ", ")])
        }
        guard Method.served.contains(request.method) else {
            throw Refusal(.methodNotAllowed, headers: [.allow: Method.servedList])
        }
        url = try Self.url(of: request)
        method = request.method
        headers = request.headers
        body = request.body
        userAgent = request.headers[.userAgent].map { String(decoding: $0.utf8.prefix(256), as: UTF8.self) }
    }

    private static func url(of request: Request) throws(Refusal) -> RequestURL? {
        if request.target == "*", [.options, .getParameter, .setParameter].contains(request.method) { return nil }
        guard let url = RequestURL(request.target) else { throw Refusal(.badRequest, reason: "Bad Request URL") }
        return url
    }

    /// The URL of a method that needs one.
    func requiredURL() throws(Refusal) -> RequestURL {
        guard let url else { throw Refusal(.badRequest) }
        return url
    }

    /// Whether the request has a session ID, which need not be valid.
    var namesSession: Bool { headers[.session]?.isEmpty == false }

    /// The request's session ID; `nil` if it has none.
    func sessionID() throws(Refusal) -> SessionID? {
        guard let text = headers[.session], !text.isEmpty else { return nil }
        guard let header = SessionHeader(text) else { throw Refusal(.sessionNotFound) }
        return header.id
    }

    /// Whether the body of a GET_PARAMETER or SET_PARAMETER names no parameter.
    var hasNoParameters: Bool { body.allSatisfy { $0.isLinearWhiteSpace || $0 == 0x0D || $0 == 0x0A } }

    /// Whether the client accepts a session description.
    var acceptsSDP: Bool {
        let ranges = headers.list(of: .accept).compactMap { $0.pieces(separatedBy: ";").first }
        return ranges.isEmpty
            || ranges.contains { range in
                ["application/sdp", "application/*", "*/*", "*"].contains(where: range.equalsIgnoringCase)
            }
    }

    /// The range to play; `nil` if the request has none.
    func range() throws(Refusal) -> RangeHeader? {
        guard let text = headers[.range], !text.isEmpty else { return nil }
        guard let range = RangeHeader(text) else { throw Refusal(.invalidRange) }
        // RFC 2326, section 12.29: a time format that the server does not understand is 501.
        if case .smpte = range { throw Refusal(.notImplemented, reason: "SMPTE ranges are not served") }
        return range
    }
}

extension Method {
    static let servedList = served.map(\.rawValue).joined(separator: ", ")
}
