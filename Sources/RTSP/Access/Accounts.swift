import Synchronization

/// What users prove themselves by, made when the first proof comes: a server that nobody sends a password needs no hash
/// functions. From any thread.
final class Accounts: Sendable {
    /// A user's proofs; where there is none of a kind, one that nobody can give: so all are compared with as much work.
    struct Account: Sendable {
        /// `nil` for who does not exist.
        let user: AccessPolicy.User?
        let digestSecret: String
        let salt: [UInt8]
        let key: [UInt8]
    }

    /// All accounts, and the functions that proofs are compared by.
    struct Ledger: Sendable {
        let hashes: HashFunctions
        fileprivate let byName: [String: Account]
        fileprivate let nobody: Account
        private let hasSaltedKeys: Bool

        func account(of name: String) -> Account { byName[name] ?? nobody }
    }

    let users: [AccessPolicy.User]
    private let realm: String
    private let algorithm: DigestAlgorithm
    private let hashes: @Sendable () -> HashFunctions?
    private let random: @Sendable () -> UInt64
    private let made = Mutex<Ledger?>(nil)

    /// - Parameters:
    ///   - hashes: asked for with the first proof, and again where there were none.
    ///   - random: what nobody can foresee.
    init(
        _ users: [AccessPolicy.User], realm: String, _ algorithm: DigestAlgorithm,
        hashes: @escaping @Sendable () -> HashFunctions?, random: @escaping @Sendable () -> UInt64
    ) {
        self.users = users
        self.realm = realm
        self.algorithm = algorithm
        self.hashes = hashes
        self.random = random
    }

    /// `nil` where there are no hash functions to prove anything with.
    var ledger: Ledger? {
        made.withLock { made in
            if made == nil { made = hashes().map { Ledger(users, realm, algorithm, $0, random) } }
            return made
        }
    }
}

extension Accounts.Ledger {
    fileprivate init(
        _ users: [AccessPolicy.User], _ realm: String, _ algorithm: DigestAlgorithm, _ hashes: HashFunctions,
        _ random: () -> UInt64
    ) {
        let digits = (0..<algorithm.digitCount / 16).map { _ in Digits.hexadecimal(random(), count: 16).lowercased() }
        let key = (0..<4).flatMap { _ in bytes(of: random()) }
        let nobody = Accounts.Account(user: nil, digestSecret: digits.joined(), salt: bytes(of: random()), key: key)
        self.init(
            hashes: hashes,
            byName: [String: Accounts.Account](
                users.map { ($0.name, Accounts.Account($0, realm, algorithm, hashes, orElse: nobody)) },
                uniquingKeysWith: { first, _ in first }),
            nobody: nobody,
            hasSaltedKeys: users.contains { if case .salted = $0.secret { true } else { false } })
    }

    /// Whether the password is that of the account. The work is the same whoever is asked for, and whatever is kept of them.
    func isRight(
        _ password: UserInformation, for account: Accounts.Account, _ realm: String, _ algorithm: DigestAlgorithm
    ) -> Bool {
        let text = password.password ?? ""
        let secret = hashes.digestSecret(algorithm, user: password.user, realm: realm, password: text)
        let isSecret = hashes.areEqual(secret, account.digestSecret)
        guard hasSaltedKeys else { return isSecret }
        let isKey = hashes.areEqual(hashes.stretched(Array(text.utf8), account.salt), account.key)
        return isSecret || isKey
    }
}

extension Accounts.Account {
    fileprivate init(
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
