import RTSP

extension Configuration {
    /// How a verb logs in, to watch the path `name`, at the server that runs with this configuration: as the first of its users
    /// who may, with what is kept of the password. `nil` where nobody may.
    ///
    /// - Parameter viewer: whose password is asked for where there are no users.
    public func login(watching name: String, viewer: ViewerPassword?) throws(OpenSSLFailure) -> ClientLogin? {
        guard let (user, secret) = user(watching: name) ?? viewer.map({ (ViewerPassword.user, .password($0.text)) })
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
