import RTSP

extension AccessPolicy {
    /// The rights of this configuration; `nil` if all clients have all rights.
    ///
    /// - Parameters:
    ///   - viewer: the password that clients need to watch if the configuration has no users.
    ///   - publisher: the password that clients need to publish if the configuration has no users.
    init?(_ configuration: Configuration, viewer: GeneratedPassword, publisher: GeneratedPassword? = nil) {
        let access = configuration.access
        guard
            !configuration.isOpen || publisher != nil || !access.allow.isEmpty || !access.deny.isEmpty
        else { return nil }
        let isFree = configuration.users.isEmpty && access.httpCallback.isEmpty
        let generated = (access.open ? [] : [User(viewer)]) + (publisher.map { [User(publisher: $0)] } ?? [])
        self.init(
            realm: access.realm, algorithm: access.digest,
            users: isFree ? generated : configuration.users.compactMap { User($0, $1) },
            addresses: AddressRules(allowed: access.allow, denied: access.deny), nonceSeconds: access.nonceSeconds,
            guessing: GuessLimits(access), loopback: isFree ? access.loopback : .asOthers,
            openRights: configuration.isOpen ? [.read, .control] : [],
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
            rights: [
                .read: user.read, .publish: user.publish, .control: user.control,
                .status: user.status ? [PathPattern("*")].compactMap(\.self) : [],
            ])
    }

    /// The user of the viewer's password, which may watch all paths and do nothing else.
    fileprivate init(_ viewer: GeneratedPassword) {
        self.init(
            name: GeneratedPassword.User.viewer.rawValue, secret: .password(viewer.text),
            rights: [.read: [PathPattern("*")].compactMap(\.self)])
    }

    /// The user of the publisher's password, which may publish to all paths that take publishers, and do nothing else.
    fileprivate init(publisher: GeneratedPassword) {
        self.init(
            name: GeneratedPassword.User.publisher.rawValue, secret: .password(publisher.text),
            rights: [.publish: [PathPattern("*")].compactMap(\.self)])
    }
}

extension Configuration.Access {
    /// The addresses to which the server may connect.
    var destinations: AddressRules { AddressRules(allowed: connectAllow, denied: connectDeny) }
}
