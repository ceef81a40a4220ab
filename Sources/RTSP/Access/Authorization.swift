import SDP

/// What a request's `Authorization` header offers as proof of who asks (RFC 2617).
public enum Authorization: Hashable, Sendable {
    case digest(DigestCredentials)
    /// User and password as they are: for connections that nobody else can read.
    case basic(UserInformation)

    /// Reads a header's value; `nil` for other schemes, and where something that is needed is missing, garbled or there twice.
    public init?(_ text: String) {
        let text = text.trimmed
        guard let blank = text.utf8.firstIndex(where: \.isLinearWhiteSpace) else { return nil }
        let rest = text[blank...].trimmed
        switch text[..<blank] {
        case let scheme where scheme.isSame(as: "Digest"):
            guard let parameters = AuthenticationParameters(rest), let credentials = DigestCredentials(parameters)
            else {
                return nil
            }
            self = .digest(credentials)
        case let scheme where scheme.isSame(as: "Basic"):
            guard let bytes = Base64.decode(rest), let decoded = String(validating: bytes, as: UTF8.self),
                let colon = decoded.utf8.firstIndex(of: UInt8(ascii: ":"))
            else { return nil }
            let password = decoded.utf8[colon...].dropFirst()
            self = .basic(UserInformation(user: String(decoded[..<colon]), password: String(Substring(password))))
        default: return nil
        }
    }
}

/// A client's answer to a Digest challenge (RFC 2617, section 3.2.2; RFC 7616, section 3.4).
public struct DigestCredentials: Hashable, Sendable {
    public let user: String
    public let realm: String
    public let nonce: String
    /// What the client says that it asks for.
    public let uri: String
    public let algorithm: DigestAlgorithm
    /// `nil` where the client counts nothing, as RFC 2069 had it: live555 does so.
    public let protection: Protection?
    /// Hexadecimal digits, in lower case.
    public let response: String

    /// What `qop=auth` adds: a count of the requests with this nonce.
    public struct Protection: Hashable, Sendable {
        /// From 1.
        public let count: UInt32
        /// The client's own share, so that nobody can choose all that it hashes.
        public let clientNonce: String
        /// The count's eight digits as the client wrote them, since they are hashed.
        let countDigits: String

        public init?(countDigits: String, clientNonce: String) {
            let isNumber = countDigits.utf8.count == 8 && countDigits.utf8.allSatisfy { $0.hexadecimalValue != nil }
            guard isNumber, let count = UInt32(countDigits, radix: 16), !clientNonce.isEmpty else { return nil }
            self.count = count
            self.clientNonce = clientNonce
            self.countDigits = countDigits
        }
    }

    /// `nil` where something is missing, or asks for what is not done here: other algorithms, `auth-int`, hashed user names.
    init?(_ parameters: AuthenticationParameters) {
        guard let user = parameters["username"], let realm = parameters["realm"], let nonce = parameters["nonce"],
            let uri = parameters["uri"], let response = parameters["response"],
            let algorithm = DigestAlgorithm(named: parameters["algorithm"] ?? "MD5"),
            parameters["userhash"].map({ $0.isSame(as: "false") }) ?? true
        else { return nil }
        if let quality = parameters["qop"] {
            guard quality.isSame(as: "auth"),
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

    /// What a client answers to `challenge` that knows the password.
    public init(
        answering challenge: DigestChallenge, user: String, password: String, method: Method, uri: String,
        protection: Protection? = nil, hashes: HashFunctions
    ) {
        let secret = hashes.digestSecret(challenge.algorithm, user: user, realm: challenge.realm, password: password)
        self.init(
            answering: challenge, user: user, secret: secret, method: method, uri: uri, protection: protection,
            hashes: hashes)
    }

    /// The same of one that knows what stands for it.
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

    /// The response that is right for who knows `secret` (RFC 2617, section 3.2.2.1).
    func response(secret: String, method: Method, _ hashes: HashFunctions) -> String {
        let request = hashes.digits(algorithm, of: method.rawValue, uri)
        guard let protection else { return hashes.digits(algorithm, of: secret, nonce, request) }
        return hashes.digits(
            algorithm, of: secret, nonce, protection.countDigits, protection.clientNonce, "auth", request)
    }

    /// Whether the client answers for a request of `target`, or of another track of the same stream: live555 always
    /// names the stream, some name the path alone.
    func isMeant(for target: String, _ url: RequestURL?) -> Bool {
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
