/// A client's user and password, and how far its authentication has come (``AdobeAuthentication``). Each step is a connection of its own.
public struct ClientLogin: Sendable {
    private let user: String
    private let password: String
    private let digest: AdobeAuthentication.Digest
    private let clientChallenge: String
    private var step = Step.start

    private enum Step: Hashable, Sendable {
        /// No server has asked for credentials.
        case start
        /// The user is presented, to get a challenge.
        case presentsUser
        /// The response to a challenge is presented.
        case responds(opaque: String?, digest: String)
    }

    /// - Parameter clientChallenge: random letters or digits.
    public init(
        user: String, password: String, clientChallenge: String, digest: @escaping AdobeAuthentication.Digest
    ) {
        self.user = user
        self.password = password
        self.clientChallenge = clientChallenge
        self.digest = digest
    }

    /// What the client adds to its application.
    var query: String {
        switch step {
        case .start: ""
        case .presentsUser: "?authmod=adobe&user=\(user)"
        case .responds(let opaque, let digest):
            "?authmod=adobe&user=\(user)&challenge=\(clientChallenge)&response=\(digest)"
                + (opaque.map { "&opaque=\($0)" } ?? "")
        }
    }

    /// The login for the next connection after a rejection with this description; `nil` if it is final.
    func next(after description: String) -> ClientLogin? {
        var next = self
        if case .start = step, description.contains("code=403 need auth") {
            next.step = .presentsUser
            return next
        }
        guard case .presentsUser = step, let query = description.split(separator: "?").last,
            Parameters.first("reason", in: query) == "needauth", let salt = Parameters.first("salt", in: query),
            let challenge = Parameters.first("challenge", in: query)
        else { return nil }
        let opaque = Parameters.first("opaque", in: query)
        let secret = AdobeAuthentication.secret(user: user, salt: salt, password: password, digest)
        let response = AdobeAuthentication.Response(
            user: user, challenge: opaque ?? challenge, clientChallenge: clientChallenge, digest: "")
        next.step = .responds(opaque: opaque, digest: response.expectedDigest(secret: secret, digest))
        return next
    }
}
