import RTSP

extension AccessPolicy {
    /// The rights of this configuration; `nil` if all clients have all rights.
    ///
    /// - Parameter viewer: the password that clients need if the configuration has no users.
    init?(_ configuration: Configuration, viewer: ViewerPassword) {
        let access = configuration.access
        guard !configuration.isOpen || !access.allow.isEmpty || !access.deny.isEmpty else { return nil }
        let isFree = configuration.users.isEmpty && !access.open && access.httpCallback.isEmpty
        self.init(
            realm: access.realm, algorithm: access.digest,
            users: isFree ? [User(viewer)] : configuration.users.compactMap { User($0, $1) },
            addresses: AddressRules(allowed: access.allow, denied: access.deny), nonceSeconds: access.nonceSeconds,
            guessing: GuessLimits(access), loopback: isFree ? access.loopback : .asOthers,
            urlCredentials: access.satip,
            exemptPaths: access.httpCallback.isEmpty ? nil : access.httpCallbackExcept,
            // The check of the configuration has reported the failure.
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
        networkGuessCount = access.wrongPasswordsPerNetwork
        lockOutSeconds = access.lockOutSeconds
        delayMilliseconds = access.wrongPasswordMilliseconds
        addressCount = access.guessingAddresses
    }
}

extension AccessPolicy.User {
    /// `nil` for a user without a password, which the configuration refuses.
    fileprivate init?(_ name: String, _ user: Configuration.User) {
        guard let password = user.password else { return nil }
        self.init(
            name: name, secret: password.secret, addresses: AddressRules(allowed: user.allow, denied: user.deny),
            rights: [.read: user.read, .publish: user.publish, .control: user.control])
    }

    /// The user of the viewer's password, which may watch all paths and do nothing else.
    fileprivate init(_ viewer: ViewerPassword) {
        self.init(
            name: ViewerPassword.user, secret: .password(viewer.text),
            rights: [.read: [PathPattern("*")].compactMap(\.self)])
    }
}
