import SDP

/// The credentials in a request's `Authorization` header (RFC 2617).
public enum Authorization: Hashable, Sendable {
    case digest(DigestCredentials)
    /// User and password in plain text: only for encrypted connections.
    case basic(UserInformation)

    /// Reads a header's value; `nil` for other schemes, or if a required field is missing, invalid or duplicated.
    public init?(_ text: String) {
        let text = text.trimmed
        guard let blank = text.utf8.firstIndex(where: \.isLinearWhiteSpace) else { return nil }
        let rest = text[blank...].trimmed
        switch text[..<blank] {
        case let scheme where scheme.equalsIgnoringCase("Digest"):
            guard let parameters = AuthenticationParameters(rest), let credentials = DigestCredentials(parameters)
            else {
                return nil
            }
            self = .digest(credentials)
        case let scheme where scheme.equalsIgnoringCase("Basic"):
            guard let bytes = Base64.decode(rest), let decoded = String(validating: bytes, as: UTF8.self),
                let colon = decoded.utf8.firstIndex(of: UInt8(ascii: ":"))
            else { return nil }
            let password = decoded.utf8[colon...].dropFirst()
            self = .basic(UserInformation(user: String(decoded[..<colon]), password: String(Substring(password))))
        default: return nil
        }
    }

    /// The value of the header for Basic (RFC 7617, section 2).
    public static func basicHeaderValue(user: String, password: String) -> String {
        "Basic " + Base64.encode(Array("\(user):\(password)".utf8))
    }
}

/// A client's answer to a Digest challenge (RFC 2617, section 3.2.2; RFC 7616, section 3.4).
public struct DigestCredentials: Hashable, Sendable {
    public let user: String
    public let realm: String
    public let nonce: String
    /// The URI for which the client computed the response.
    public let uri: String
    public let algorithm: DigestAlgorithm
    /// `nil` if the client does not count requests, as in RFC 2069. live555 does not.
    public let protection: Protection?
    /// Hexadecimal digits, in lower case.
    public let response: String

    /// The fields that `qop=auth` adds: a count of the requests with this nonce, and the client's nonce.
    public struct Protection: Hashable, Sendable {
        /// The number of the request, from 1.
        public let count: UInt32
        /// The client's nonce, so that no server can choose the whole hashed text.
        public let clientNonce: String
        /// The count's eight digits exactly as the client wrote them, because they are hashed.
        let countDigits: String

        public init?(countDigits: String, clientNonce: String) {
            let isNumber = countDigits.utf8.count == 8 && countDigits.utf8.allSatisfy { $0.hexadecimalValue != nil }
            guard isNumber, let count = UInt32(countDigits, radix: 16), !clientNonce.isEmpty else { return nil }
            self.count = count
            self.clientNonce = clientNonce
            self.countDigits = countDigits
        }
    }

    /// `nil` if a field is missing or names an unsupported feature: another algorithm, `auth-int` or hashed user names.
    init?(_ parameters: AuthenticationParameters) {
        guard let user = parameters["username"], let realm = parameters["realm"], let nonce = parameters["nonce"],
            let uri = parameters["uri"], let response = parameters["response"],
            let algorithm = DigestAlgorithm(named: parameters["algorithm"] ?? "MD5"),
            parameters["userhash"].map({ $0.equalsIgnoringCase("false") }) ?? true
        else { return nil }
        if let quality = parameters["qop"] {
            guard quality.equalsIgnoringCase("auth"),
                let protection = Protection(
                    countDigits: parameters["nc"] ?? "", clientNonce: parameters["cnonce"] ?? "")
            else { return nil }
            self.protection = protection
        } else {
            protection = nil
        }
        guard response.utf8.count == algorithm.digitCount, response.utf8.allSatisfy({ $0.hexadecimalValue != nil })
        else {
            return nil
        }
        self.user = user
        self.realm = realm
        self.nonce = nonce
        self.uri = uri
        self.algorithm = algorithm
        self.response = response.lowercased()
    }

    /// The credentials that a client with this password sends in answer to `challenge`.
    public init(
        answering challenge: DigestChallenge, user: String, password: String, method: Method, uri: String,
        protection: Protection? = nil, hashes: HashFunctions
    ) {
        let secret = hashes.digestSecret(challenge.algorithm, user: user, realm: challenge.realm, password: password)
        self.init(
            answering: challenge, user: user, secret: secret, method: method, uri: uri, protection: protection,
            hashes: hashes)
    }

    /// The credentials that a client with this ``HashFunctions/digestSecret(_:user:realm:password:)`` sends.
    init(
        answering challenge: DigestChallenge, user: String, secret: String, method: Method, uri: String,
        protection: Protection?, hashes: HashFunctions
    ) {
        self.init(
            user: user, realm: challenge.realm, nonce: challenge.nonce, uri: uri, algorithm: challenge.algorithm,
            protection: protection, response: "")
        self = Self(
            user: user, realm: realm, nonce: nonce, uri: uri, algorithm: algorithm, protection: protection,
            response: response(secret: secret, method: method, hashes))
    }

    private init(
        user: String, realm: String, nonce: String, uri: String, algorithm: DigestAlgorithm, protection: Protection?,
        response: String
    ) {
        self.user = user
        self.realm = realm
        self.nonce = nonce
        self.uri = uri
        self.algorithm = algorithm
        self.protection = protection
        self.response = response
    }

    /// The correct response of a client that knows `secret` (RFC 2617, section 3.2.2.1).
    func response(secret: String, method: Method, _ hashes: HashFunctions) -> String {
        let request = hashes.digits(algorithm, of: method.rawValue, uri)
        guard let protection else { return hashes.digits(algorithm, of: secret, nonce, request) }
        return hashes.digits(
            algorithm, of: secret, nonce, protection.countDigits, protection.clientNonce, "auth", request)
    }

    /// Whether `uri` names `target` or another track of the same stream. live555 always names the stream, and some clients
    /// send only the path.
    func isValid(for target: String, _ url: RequestURL?) -> Bool {
        if uri == target { return true }
        guard let url else { return false }
        let named = RequestURL(uri.hasPrefix("/") ? "rtsp://\(url.host)\(uri)" : uri)
        return named?.path == url.path
    }

    /// The header's value.
    public var headerValue: String {
        func quoted(_ text: String) -> String {
            let escaped = text.unicodeScalars.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
            return "\"" + String(String.UnicodeScalarView(escaped)) + "\""
        }
        var parts = [
            "username=\(quoted(user))", "realm=\(quoted(realm))", "nonce=\(quoted(nonce))", "uri=\(quoted(uri))",
            "response=\"\(response)\"",
        ]
        if algorithm != .md5 { parts.append("algorithm=\(algorithm.rawValue)") }
        if let protection {
            parts += ["qop=auth", "nc=\(protection.countDigits)", "cnonce=\(quoted(protection.clientNonce))"]
        }
        return "Digest " + parts.joined(separator: ", ")
    }
}
