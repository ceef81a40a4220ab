import SDP

/// How a client proves who it is: not before it is asked, then with each request (RFC 2617, section 3.3).
public struct ClientLogin: Sendable {
    /// What the server asked for last.
    private enum Challenge: Sendable {
        case digest(DigestChallenge, isProtected: Bool, opaque: String?)
        /// The password as it is: for servers that ask for nothing better.
        case basic
    }

    private let user: String
    private let secret: AccessPolicy.Secret
    private let hashes: HashFunctions
    private let random: @Sendable () -> UInt64
    private var challenge: Challenge?
    /// Whether a server has asked for it in a way that is known: requests carry credentials from then on.
    var isChallenged: Bool { challenge != nil }
    /// Requests with the challenge's nonce so far.
    private var count: UInt32 = 0

    /// With the user and password of a URL.
    ///
    /// - Parameter random: what nobody can foresee, so that no server can choose all that is hashed.
    public init(
        _ information: UserInformation, hashes: HashFunctions, random: @escaping @Sendable () -> UInt64
    ) {
        self.init(
            user: information.user, secret: .password(information.password ?? ""), hashes: hashes, random: random)
    }

    /// With what a server keeps of a password: a Digest's secret is good for Digest alone, a salted hash for nothing.
    public init(
        user: String, secret: AccessPolicy.Secret, hashes: HashFunctions, random: @escaping @Sendable () -> UInt64
    ) {
        self.user = user
        self.secret = secret
        self.hashes = hashes
        self.random = random
    }

    /// A request was answered 401.
    ///
    /// - Returns: whether it is worth another try: not where this very challenge was answered, or nothing known is asked for.
    mutating func isAsked(by response: Response) -> Bool {
        let values = response.headers.values(of: .wwwAuthenticate)
        if let (digest, isProtected, opaque) = values.lazy.compactMap(DigestChallenge.read).first {
            if case .digest(let former, _, _)? = challenge, former.nonce == digest.nonce { return false }
            challenge = .digest(digest, isProtected: isProtected, opaque: opaque)
            count = 0
            return true
        }
        guard challenge == nil, values.contains(where: { $0.scheme.isSame(as: "Basic") }) else { return false }
        challenge = .basic
        return true
    }

    /// The value of `Authorization` for a request; `nil` before the server has asked.
    mutating func authorization(for method: Method, _ target: String) -> String? {
        switch challenge {
        case nil: return nil
        case .basic:
            guard case .password(let password) = secret else { return nil }
            return "Basic " + Base64.encode(Array("\(user):\(password)".utf8))
        case .digest(let challenge, let isProtected, let opaque):
            guard let secret = digestSecret(for: challenge) else { return nil }
            count &+= 1
            let credentials = DigestCredentials(
                answering: challenge, user: user, secret: secret, method: method, uri: target,
                protection: isProtected ? protection : nil, hashes: hashes)
            // What the server gives to be given back.
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
    /// A challenge of a known algorithm, and whether it wants requests to be counted (`qop=auth`); `nil` for any other.
    fileprivate static func read(_ text: String) -> (challenge: Self, isProtected: Bool, opaque: String?)? {
        guard text.scheme.isSame(as: "Digest"),
            let parameters = AuthenticationParameters(text[text.scheme.endIndex...].trimmed[...]),
            let realm = parameters["realm"], let nonce = parameters["nonce"],
            let algorithm = DigestAlgorithm(named: parameters["algorithm"] ?? "MD5")
        else { return nil }
        let qualities = parameters["qop"]?.split(separator: ",").map { $0.trimmed } ?? []
        let isProtected = qualities.contains { $0.isSame(as: "auth") }
        guard isProtected || qualities.isEmpty else { return nil }
        let isStale = parameters["stale"]?.isSame(as: "true") ?? false
        return (
            Self(realm: realm, nonce: nonce, algorithm: algorithm, isStale: isStale), isProtected,
            parameters["opaque"].flatMap(quotable)
        )
    }
}

/// The text, where it can stand between quotes as it is.
private func quotable(_ text: String) -> String? {
    text.utf8.contains { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") } ? nil : text
}

extension String {
    /// What stands before the first blank.
    fileprivate var scheme: Substring { prefix { $0 != " " && $0 != "\t" } }
}
