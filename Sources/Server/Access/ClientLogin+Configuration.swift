import RTSP

extension Configuration {
    /// The login with which a command watches the path `name` of the server that runs with this configuration: that of the first
    /// user with the right to watch it, with the stored password or hash. `nil` if there is no such user.
    ///
    /// - Parameter viewer: the password that is needed if the configuration has no users.
    public func login(watching name: String, viewer: GeneratedPassword?) throws(OpenSSLFailure) -> ClientLogin? {
        guard
            let (user, secret) = user(watching: name)
                ?? viewer.map({ (GeneratedPassword.User.viewer.rawValue, .password($0.text)) })
        else { return nil }
        return ClientLogin(user: user, secret: secret, hashes: try .openSSL()) {
            var numbers = SystemRandomNumberGenerator()
            return numbers.next()
        }
    }

    private func user(watching name: String) -> (String, AccessPolicy.Secret)? {
        users.sorted { $0.key < $1.key }.lazy.compactMap { user, settings in
            guard let secret = settings.password?.secret, settings.password?.isForDigest == true,
                Grant(user: user, [.read: settings.read]).admits(.read, "/" + name)
            else { return nil }
            return (user, secret)
        }.first
    }
}
