/// The users, their permissions and the rules of authentication, shared by all connections.
public struct AccessPolicy: Sendable {
    /// A user with a password and permissions.
    public struct User: Sendable {
        public let name: String
        public let secret: Secret
        /// The addresses from which the user may connect.
        public let addresses: AddressRules
        public let grant: Grant

        public init(name: String, secret: Secret, addresses: AddressRules = .init(), rights: [Right: [PathPattern]]) {
            self.name = name
            self.secret = secret
            self.addresses = addresses
            grant = Grant(user: name, rights)
        }
    }

    /// The stored form of a password.
    public enum Secret: Hashable, Sendable {
        case password(String)
        /// ``HashFunctions/digestSecret(_:user:realm:password:)``: enough to log in by Digest, but only in this realm.
        case digest(String)
        /// ``HashFunctions/stretched``: a thief of this key cannot log in with it. The check needs the password itself, which Basic
        /// and SAT>IP URLs send.
        case salted(salt: [UInt8], key: [UInt8])
    }

    /// Whether clients on the server's own host must authenticate.
    public enum Loopback: Hashable, Sendable {
        /// They authenticate like all other clients.
        case asOthers
        /// They need no password, except to publish.
        case free
        /// They need no password, not even to publish.
        case freeToPublish

        func isFree(_ right: Right) -> Bool {
            switch self {
            case .asOthers: false
            case .free: right != .publish
            case .freeToPublish: true
            }
        }
    }

    /// The clients that may send user and password in a request's URL, as VLC's SAT>IP client does, unencrypted.
    public enum URLCredentials: String, CaseIterable, Hashable, Sendable {
        case all
        case loopback
        case none
    }

    public let realm: String
    public let algorithm: DigestAlgorithm
    /// The addresses from which any client may connect.
    public let addresses: AddressRules
    /// The lifetime of a nonce.
    public let nonceSeconds: Int
    public let guessing: GuessLimits
    public let loopback: Loopback
    /// The rights that every client from an allowed address has.
    public let openRights: Set<Right>
    public let urlCredentials: URLCredentials
    /// The paths that need no external authorisation, if an external service authorises clients; `nil` if `users` decides.
    let exemptPaths: [PathPattern]?
    let random: @Sendable () -> UInt64
    private let accounts: Accounts

    /// - Parameters:
    ///   - users: if empty, every client from an allowed address may do everything.
    ///   - exemptPaths: if `nil`, `users` decides. Otherwise an external service decides instead, and every client may watch
    ///     these paths without a decision.
    ///   - hashes: called when the first password is checked. If it returns `nil`, this host has no hash functions, and every
    ///     client that needs a password is refused.
    ///   - random: unpredictable numbers; called on the threads of all connections.
    public init(
        realm: String, algorithm: DigestAlgorithm = .md5, users: [User], addresses: AddressRules = .init(),
        nonceSeconds: Int = 600, guessing: GuessLimits = .init(), loopback: Loopback = .asOthers,
        openRights: Set<Right> = [],
        urlCredentials: URLCredentials = .all, exemptPaths: [PathPattern]? = nil,
        hashes: @escaping @Sendable () -> HashFunctions?,
        random: @escaping @Sendable () -> UInt64
    ) {
        self.realm = realm
        self.algorithm = algorithm
        self.addresses = addresses
        self.nonceSeconds = nonceSeconds
        self.guessing = guessing
        self.loopback = loopback
        self.openRights = openRights
        self.urlCredentials = urlCredentials
        self.exemptPaths = exemptPaths
        self.random = random
        accounts = Accounts(users, realm: realm, algorithm, hashes: hashes, random: random)
    }

    /// Whether a client at `peer` must authenticate to use this right.
    public func requiresAuthentication(of peer: Endpoint, for right: Right) -> Bool {
        if exemptPaths != nil { return true }
        // The status names all viewers. To open the streams to every host does not open it.
        if right == .status, !peer.isLoopback { return true }
        if accounts.users.isEmpty || openRights.contains(right) { return false }
        return !(peer.isLoopback && loopback.isFree(right))
    }

    /// Whether the client at `peer` may send its credentials in the URL.
    func takesURLCredentials(of peer: Endpoint) -> Bool {
        switch urlCredentials {
        case .all: true
        case .loopback: peer.isLoopback
        case .none: false
        }
    }

    /// Whether an external service authorises clients.
    public var asksExternally: Bool { exemptPaths != nil }

    /// Whether some users cannot log in by Digest, because their passwords are stored salted or known only to an external service.
    var needsPasswords: Bool { exemptPaths != nil || hasSaltedSecrets }

    private var hasSaltedSecrets: Bool {
        accounts.users.contains { if case .salted = $0.secret { true } else { false } }
    }

    /// The user called `name`, if a client that authenticated under the policy `former` is still authenticated under this one.
    /// The password must be the same, but its stored form may differ.
    func user(_ name: String, authenticatedBy former: Self?) -> User? {
        guard let user = user(name), let before = former?.user(name) else { return nil }
        if user.secret == before.secret { return user }
        guard let verifier = accounts.verifier, let old = former?.accounts.verifier else { return nil }
        let (secret, formerSecret) = (verifier.account(of: name).digestSecret, old.account(of: name).digestSecret)
        return verifier.hashes.areEqual(secret, formerSecret) ? user : nil
    }

    private func user(_ name: String) -> User? { accounts.users.first { $0.name == name } }

    /// A text that changes when the password of the user changes; `nil` if there is no such user. It is as secret as the password.
    func passwordMark(of name: String) throws(AccessFailure) -> String? {
        guard let user = user(name) else { return nil }
        switch user.secret {
        case .password, .digest: return try verifier().account(of: name).digestSecret
        case .salted(_, let key): return Digits.hexadecimal(of: key)
        }
    }

    /// The permissions of a user that has authenticated before; `nil` if there is no such user.
    func account(of name: String) -> User? { user(name) }

    /// The hash functions that check passwords; `nil` if this host has none.
    public var hashes: HashFunctions? { accounts.verifier?.hashes }

    /// The verifier of all users' passwords.
    func verifier() throws(AccessFailure) -> Accounts.Verifier {
        guard let verifier = accounts.verifier else { throw .noHashFunctions }
        return verifier
    }
}
