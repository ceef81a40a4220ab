import SDP

/// A client's credentials: sent with each request after the first challenge (RFC 2617, section 3.3).
public struct ClientLogin: Sendable {
    /// The server's last challenge.
    private enum Challenge: Sendable {
        case digest(DigestChallenge, isProtected: Bool, opaque: String?)
        /// The password in plain text, for servers that offer nothing better.
        case basic
    }

    private let user: String
    private let secret: AccessPolicy.Secret
    private let hashes: HashFunctions
    private let random: @Sendable () -> UInt64
    private var challenge: Challenge?
    /// Whether the password may be sent in plain text.
    private var allowsBasic = true
    /// Whether a server has sent a supported challenge, after which requests carry credentials.
    var isChallenged: Bool { challenge != nil }
    /// The number of requests with the challenge's nonce so far.
    private var count: UInt32 = 0

    /// Uses the user and password of a URL.
    ///
    /// - Parameter random: unpredictable numbers, so that no server can choose the whole hashed text.
    public init(
        _ information: UserInformation, hashes: HashFunctions, random: @escaping @Sendable () -> UInt64
    ) {
        self.init(
            user: information.user, secret: .password(information.password ?? ""), hashes: hashes, random: random)
    }

    /// Uses the stored form of a password: a Digest secret works only with Digest, and a salted hash with neither scheme.
    public init(
        user: String, secret: AccessPolicy.Secret, hashes: HashFunctions, random: @escaping @Sendable () -> UInt64
    ) {
        self.user = user
        self.secret = secret
        self.hashes = hashes
        self.random = random
    }

    /// The same for another server, which never gets the password in plain text.
    public var withoutBasic: ClientLogin {
        var login = self
        (login.allowsBasic, login.challenge) = (false, nil)
        return login
    }

    /// Handles a 401 response.
    ///
    /// - Returns: whether the request should be repeated: not if this challenge was answered already, or if it is unsupported.
    mutating func handleChallenge(in response: Response) -> Bool {
        handleChallenges(response.headers.values(of: .wwwAuthenticate))
    }

    /// Handles the values of `WWW-Authenticate` of a 401 response; also of HTTP, which has the same (RFC 7235).
    ///
    /// - Returns: as `handleChallenge`.
    public mutating func handleChallenges(_ values: [String]) -> Bool {
        if let (digest, isProtected, opaque) = values.lazy.compactMap(DigestChallenge.read).first {
            if case .digest(let former, _, _)? = challenge, former.nonce == digest.nonce { return false }
            challenge = .digest(digest, isProtected: isProtected, opaque: opaque)
            count = 0
            return true
        }
        guard allowsBasic, challenge == nil, values.contains(where: { $0.scheme.equalsIgnoringCase("Basic") })
        else { return false }
        challenge = .basic
        return true
    }

    /// The value of `Authorization` for a request; `nil` before the first challenge.
    public mutating func authorization(for method: Method, _ target: String) -> String? {
        switch challenge {
        case nil: return nil
        case .basic:
            guard case .password(let password) = secret else { return nil }
            return Authorization.basicHeaderValue(user: user, password: password)
        case .digest(let challenge, let isProtected, let opaque):
            guard let secret = digestSecret(for: challenge) else { return nil }
            count &+= 1
            let credentials = DigestCredentials(
                answering: challenge, user: user, secret: secret, method: method, uri: target,
                protection: isProtected ? protection : nil, hashes: hashes)
            // The server's `opaque` is returned unchanged (RFC 2617, section 3.2.1).
            return credentials.headerValue + (opaque.map { ", opaque=\"\($0)\"" } ?? "")
        }
    }

    private func digestSecret(for challenge: DigestChallenge) -> String? {
        switch secret {
        case .password(let password):
            hashes.digestSecret(challenge.algorithm, user: user, realm: challenge.realm, password: password)
        case .digest(let secret): secret
        case .salted: nil
        }
    }

    private var protection: DigestCredentials.Protection? {
        .init(
            countDigits: Digits.hexadecimal(count, count: 8),
            clientNonce: Digits.hexadecimal(random(), count: 16))
    }
}

extension DigestChallenge {
    /// Reads a challenge with a supported algorithm, and whether requests must be counted (`qop=auth`); `nil` for any other.
    fileprivate static func read(_ text: String) -> (challenge: Self, isProtected: Bool, opaque: String?)? {
        guard text.scheme.equalsIgnoringCase("Digest"),
            let parameters = AuthenticationParameters(text[text.scheme.endIndex...].trimmed[...]),
            let realm = parameters["realm"], let nonce = parameters["nonce"],
            let algorithm = DigestAlgorithm(named: parameters["algorithm"] ?? "MD5")
        else { return nil }
        let qualities = parameters["qop"]?.split(separator: ",").map { $0.trimmed } ?? []
        let isProtected = qualities.contains { $0.equalsIgnoringCase("auth") }
        guard isProtected || qualities.isEmpty else { return nil }
        let isStale = parameters["stale"]?.equalsIgnoringCase("true") ?? false
        return (
            Self(realm: realm, nonce: nonce, algorithm: algorithm, isStale: isStale), isProtected,
            parameters["opaque"].flatMap(quotable)
        )
    }
}

/// The text, if it can be quoted without escaping; otherwise `nil`.
private func quotable(_ text: String) -> String? {
    text.utf8.contains { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") } ? nil : text
}

extension String {
    /// The text before the first blank.
    fileprivate var scheme: Substring { prefix { $0 != " " && $0 != "\t" } }
}
