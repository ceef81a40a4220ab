import Synchronization

/// The users' accounts, prepared when the first password arrives, so that a server without logins needs no hash functions.
/// They may be used from any thread.
final class Accounts: Sendable {
    /// A user's stored secrets, of both kinds. One that is not configured is filled with random bytes, so that every check takes
    /// the same work.
    struct Account: Sendable {
        /// `nil` if the user does not exist.
        let user: AccessPolicy.User?
        let digestSecret: String
        let salt: [UInt8]
        let key: [UInt8]
    }

    /// Checks passwords against all accounts.
    struct Verifier: Sendable {
        let hashes: HashFunctions
        fileprivate let byName: [String: Account]
        fileprivate let unknownUser: Account
        private let hasSaltedKeys: Bool

        func account(of name: String) -> Account { byName[name] ?? unknownUser }
    }

    let users: [AccessPolicy.User]
    private let realm: String
    private let algorithm: DigestAlgorithm
    private let hashes: @Sendable () -> HashFunctions?
    private let random: @Sendable () -> UInt64
    private let cachedVerifier = Mutex<Verifier?>(nil)

    /// - Parameters:
    ///   - hashes: called for the first password, and again if it returned `nil`.
    ///   - random: unpredictable numbers.
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

    /// `nil` if this host has no hash functions.
    var verifier: Verifier? {
        cachedVerifier.withLock { verifier in
            if verifier == nil {
                verifier = hashes().map {
                    Verifier(users: users, realm: realm, algorithm: algorithm, hashes: $0, random: random)
                }
            }
            return verifier
        }
    }
}

extension Accounts.Verifier {
    fileprivate init(
        users: [AccessPolicy.User], realm: String, algorithm: DigestAlgorithm, hashes: HashFunctions,
        random: () -> UInt64
    ) {
        let digits = (0..<algorithm.digitCount / 16).map { _ in Digits.hexadecimal(random(), count: 16).lowercased() }
        let key = (0..<4).flatMap { _ in bytes(of: random()) }
        let unknownUser = Accounts.Account(
            user: nil, digestSecret: digits.joined(), salt: bytes(of: random()), key: key)
        self.init(
            hashes: hashes,
            byName: [String: Accounts.Account](
                users.map { user in
                    let account = Accounts.Account(
                        user, realm: realm, algorithm: algorithm, hashes: hashes, orElse: unknownUser)
                    return (user.name, account)
                },
                uniquingKeysWith: { first, _ in first }),
            unknownUser: unknownUser,
            hasSaltedKeys: users.contains { if case .salted = $0.secret { true } else { false } })
    }

    /// Whether the password is that of the account. The work does not depend on the user or on the kind of the stored secret.
    func isCorrect(
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
        _ user: AccessPolicy.User, realm: String, algorithm: DigestAlgorithm, hashes: HashFunctions,
        orElse unknownUser: Self
    ) {
        switch user.secret {
        case .password(let password):
            let secret = hashes.digestSecret(algorithm, user: user.name, realm: realm, password: password)
            self.init(user: user, digestSecret: secret, salt: unknownUser.salt, key: unknownUser.key)
        case .digest(let secret):
            self.init(user: user, digestSecret: secret.lowercased(), salt: unknownUser.salt, key: unknownUser.key)
        case .salted(let salt, let key):
            self.init(user: user, digestSecret: unknownUser.digestSecret, salt: salt, key: key)
        }
    }
}

/// The bytes of a number.
private func bytes(of number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
}
