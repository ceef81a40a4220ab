/// The authentication of publishers that FFmpeg, OBS and librtmp know (`authmod=adobe`): they use a user and a password only if the server
/// rejects their connection and asks for them.
///
/// Each step is a connection of its own, so the server must recognise its challenge again: the client returns it as `opaque`.
///
/// ```
/// connect app                                          ──▶ rejected: code=403 need auth; authmod=adobe
/// connect app?authmod=adobe&user=U                     ──▶ rejected: ?reason=needauth&user=U&salt=S&challenge=C&opaque=C
/// connect app?authmod=adobe&user=U&challenge=K&response=R&opaque=C ──▶ accepted
/// R = base64(MD5(base64(MD5(U + S + password)) + C + K))
/// ```
public enum AdobeAuthentication {
    /// MD5 of a text in base64, which the caller provides.
    public typealias Digest = @Sendable (String) -> String

    /// What a client presents.
    public enum Credentials: Hashable, Sendable {
        /// The first step: a user that asks for a challenge.
        case user(String)
        /// The last step.
        case response(Response)

        /// From the query of an application; `nil` if there are none.
        init?(query: String) {
            guard Parameters.first("authmod", in: query) == "adobe", let user = Parameters.first("user", in: query)
            else {
                return nil
            }
            guard let response = Parameters.first("response", in: query),
                let clientChallenge = Parameters.first("challenge", in: query)
            else {
                self = .user(user)
                return
            }
            self = .response(
                Response(
                    user: user, challenge: Parameters.first("opaque", in: query) ?? "",
                    clientChallenge: clientChallenge, digest: response))
        }
    }

    /// The response to a challenge.
    public struct Response: Hashable, Sendable {
        public let user: String
        /// The server's challenge; empty if the client has not returned it.
        public let challenge: String
        public let clientChallenge: String
        public let digest: String

        /// The digest that the client must have sent.
        ///
        /// - Parameter secret: see ``AdobeAuthentication/secret(user:salt:password:_:)``.
        public func expectedDigest(secret: String, _ digest: Digest) -> String {
            digest(secret + challenge + clientChallenge)
        }
    }

    /// The stored form of a password: with it, the server needs not know the password. All challenges for it must have the same salt.
    public static func secret(user: String, salt: String, password: String, _ digest: Digest) -> String {
        digest(user + salt + password)
    }

    /// The server's description of a rejection that asks for credentials.
    static let needsCredentials = "[ AccessManager.Reject ] : [ code=403 need auth; authmod=adobe ] : "

    /// The server's description of a rejection that has a challenge.
    static func challenge(user: String, salt: String, challenge: String) -> String {
        "[ AccessManager.Reject ] : [ authmod=adobe ] : "
            + "?reason=needauth&user=\(user)&salt=\(salt)&challenge=\(challenge)&opaque=\(challenge)"
    }

    /// The server's description of the rejection of a wrong response.
    static let failed = "[ AccessManager.Reject ] : [ authmod=adobe ] : ?reason=authfailed"
}
