/// Who may do what, and how they prove who they are: the same for all connections.
public struct AccessPolicy: Sendable {
    /// Somebody who may do something.
    public struct User: Sendable {
        public let name: String
        public let secret: Secret
        /// From where.
        public let addresses: AddressRules
        public let grant: Grant

        public init(name: String, secret: Secret, addresses: AddressRules = .init(), rights: [Right: [PathPattern]]) {
            self.name = name
            self.secret = secret
            self.addresses = addresses
            grant = Grant(user: name, rights)
        }
    }

    /// What is kept of a password.
    public enum Secret: Hashable, Sendable {
        case password(String)
        /// ``HashFunctions/digestSecret(_:user:realm:password:)``: enough to log in by Digest, and good for this realm alone.
        case digest(String)
        /// ``HashFunctions/stretched``: of no use to who reads it, and so for Basic alone, which sends the password.
        case salted(salt: [UInt8], key: [UInt8])
    }

    /// What clients of the host itself have to prove.
    public enum Loopback: Hashable, Sendable {
        /// As much as all others.
        case asOthers
        /// Nothing.
        case free
    }

    /// Whose user and password are taken from a request's URL, where VLC's SAT>IP has them, in the clear.
    public enum URLCredentials: String, CaseIterable, Hashable, Sendable {
        case all
        case loopback
        case none
    }

    public let realm: String
    public let algorithm: DigestAlgorithm
    /// Of everybody.
    public let addresses: AddressRules
    /// How long a nonce may be answered with.
    public let nonceSeconds: Int
    public let guessing: GuessLimits
    public let loopback: Loopback
    public let urlCredentials: URLCredentials
    /// Where somebody else decides what each client may do: the paths that everybody watches without that. `nil` where `users` decide.
    let exemptPaths: [PathPattern]?
    let random: @Sendable () -> UInt64
    private let accounts: Accounts

    /// - Parameters:
    ///   - users: without any, everybody may do everything, from the addresses that are let in.
    ///   - exemptPaths: paths that everybody watches, where somebody else decides about the others, and not `users`.
    ///   - hashes: asked for when the first password is to be tried; `nil` where there are none on this host, and then nobody
    ///     is let in who needs a password.
    ///   - random: what nobody can foresee; called on the threads of all connections.
    public init(
        realm: String, algorithm: DigestAlgorithm = .md5, users: [User], addresses: AddressRules = .init(),
        nonceSeconds: Int = 600, guessing: GuessLimits = .init(), loopback: Loopback = .asOthers,
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
        self.urlCredentials = urlCredentials
        self.exemptPaths = exemptPaths
        self.random = random
        accounts = Accounts(users, realm: realm, algorithm, hashes: hashes, random: random)
    }

    /// Whether a client at `peer` has to prove who it is.
    func asks(_ peer: Endpoint) -> Bool {
        exemptPaths != nil || !accounts.users.isEmpty && !(loopback == .free && peer.isLoopback)
    }

    /// Whether it may do so in a URL.
    func takesURLCredentials(of peer: Endpoint) -> Bool {
        switch urlCredentials {
        case .all: true
        case .loopback: peer.isLoopback
        case .none: false
        }
    }

    /// Whether Digest could not prove everybody: the password of somebody is kept so, or somebody else knows it.
    var needsPasswords: Bool { exemptPaths != nil || hasSaltedSecrets }

    private var hasSaltedSecrets: Bool {
        accounts.users.contains { if case .salted = $0.secret { true } else { false } }
    }

    /// The user of that name, where who has proved to be so by the policy `former` has done so by this one, too: with the same
    /// password, whatever is kept of it.
    func user(_ name: String, authenticatedBy former: Self?) -> User? {
        guard let user = user(name), let before = former?.user(name) else { return nil }
        if user.secret == before.secret { return user }
        guard let ledger = accounts.ledger, let old = former?.accounts.ledger else { return nil }
        let (secret, formerSecret) = (ledger.account(of: name).digestSecret, old.account(of: name).digestSecret)
        return ledger.hashes.areEqual(secret, formerSecret) ? user : nil
    }

    private func user(_ name: String) -> User? { accounts.users.first { $0.name == name } }

    /// The accounts of all users.
    func ledger() throws(AccessFailure) -> Accounts.Ledger {
        guard let ledger = accounts.ledger else { throw .noHashFunctions }
        return ledger
    }
}
