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

    /// A user's proofs; where there is none of a kind, one that nobody can give: so all are compared with as much work.
    struct Account: Sendable {
        /// `nil` for who does not exist.
        let user: User?
        let digestSecret: String
        let salt: [UInt8]
        let key: [UInt8]
    }

    public let realm: String
    public let algorithm: DigestAlgorithm
    /// Of everybody.
    public let addresses: AddressRules
    /// How long a nonce may be answered with.
    public let nonceSeconds: Int
    let hashes: HashFunctions
    let random: @Sendable () -> UInt64
    private let accounts: [String: Account]
    private let nobody: Account
    private let hasSaltedKeys: Bool

    /// - Parameters:
    ///   - users: without any, everybody may do everything, from the addresses that are let in.
    ///   - random: what nobody can foresee; called on the threads of all connections.
    public init(
        realm: String, algorithm: DigestAlgorithm = .md5, users: [User], addresses: AddressRules = .init(),
        nonceSeconds: Int = 600, hashes: HashFunctions, random: @escaping @Sendable () -> UInt64
    ) {
        self.realm = realm
        self.algorithm = algorithm
        self.addresses = addresses
        self.nonceSeconds = nonceSeconds
        self.hashes = hashes
        self.random = random
        let digits = (0..<algorithm.digitCount / 16).map { _ in Digits.hexadecimal(random(), count: 16).lowercased() }
        let key = (0..<4).flatMap { _ in bytes(of: random()) }
        let nobody = Account(user: nil, digestSecret: digits.joined(), salt: bytes(of: random()), key: key)
        self.nobody = nobody
        accounts = [String: Account](
            users.map { ($0.name, Account($0, realm, algorithm, hashes, orElse: nobody)) },
            uniquingKeysWith: { first, _ in first })
        hasSaltedKeys = users.contains { if case .salted = $0.secret { true } else { false } }
    }

    var hasUsers: Bool { !accounts.isEmpty }

    func account(of name: String) -> Account { accounts[name] ?? nobody }

    /// Whether the password is that of the account. The work is the same whoever is asked for, and whatever is kept of them.
    func isRight(_ password: UserInformation, for account: Account) -> Bool {
        let text = password.password ?? ""
        let secret = hashes.digestSecret(algorithm, user: password.user, realm: realm, password: text)
        let isSecret = isSameInConstantTime(secret.utf8, account.digestSecret.utf8)
        guard hasSaltedKeys else { return isSecret }
        let isKey = isSameInConstantTime(hashes.stretched(Array(text.utf8), account.salt), account.key)
        return isSecret || isKey
    }
}

extension AccessPolicy.Account {
    init(
        _ user: AccessPolicy.User, _ realm: String, _ algorithm: DigestAlgorithm, _ hashes: HashFunctions,
        orElse nobody: Self
    ) {
        switch user.secret {
        case .password(let password):
            let secret = hashes.digestSecret(algorithm, user: user.name, realm: realm, password: password)
            self.init(user: user, digestSecret: secret, salt: nobody.salt, key: nobody.key)
        case .digest(let secret):
            self.init(user: user, digestSecret: secret.lowercased(), salt: nobody.salt, key: nobody.key)
        case .salted(let salt, let key):
            self.init(user: user, digestSecret: nobody.digestSecret, salt: salt, key: key)
        }
    }
}

/// The bytes of a number.
private func bytes(of number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
}
