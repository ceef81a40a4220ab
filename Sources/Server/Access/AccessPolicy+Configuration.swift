import RTSP

extension AccessPolicy {
    /// Who may do what with this configuration; `nil` where everybody may do everything.
    init?(_ configuration: Configuration) {
        let access = configuration.access
        guard !configuration.users.isEmpty || !access.allow.isEmpty || !access.deny.isEmpty else { return nil }
        self.init(
            realm: access.realm, algorithm: access.digest.algorithm,
            users: configuration.users.compactMap { User($0, $1) },
            addresses: AddressRules(allowed: access.allow, denied: access.deny), nonceSeconds: access.nonceSeconds,
            guessing: GuessLimits(access),
            // Why there are none, the check of the configuration has said.
            hashes: { try? HashFunctions.openSSL() },
            random: {
                var numbers = SystemRandomNumberGenerator()
                return numbers.next()
            })
    }
}

extension GuessLimits {
    fileprivate init(_ access: Configuration.Access) {
        self.init()
        guessCount = access.wrongPasswords
        lockOutSeconds = access.lockOutSeconds
        delayMilliseconds = access.wrongPasswordMilliseconds
        addressCount = access.guessingAddresses
    }
}

extension AccessPolicy.User {
    /// `nil` for a user without a password, whom the configuration refuses.
    fileprivate init?(_ name: String, _ user: Configuration.User) {
        guard let password = user.password else { return nil }
        self.init(
            name: name, secret: password.secret, addresses: AddressRules(allowed: user.allow, denied: user.deny),
            rights: [.read: user.read, .publish: user.publish, .control: user.control])
    }
}
