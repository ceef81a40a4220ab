import RTSP
import Streams

/// A user and a password for URLs. Its descriptions are redacted.
public struct URLLogin: Hashable, Sendable {
    /// The part of a URL before the host, with the `@`.
    private let userInformation: String
    /// The query of a URL for RTMP, with the `?`.
    private let query: String
    /// The end of a stream id of SRT, with its colons.
    private let streamIDParts: String
    /// Whether clients on the server's own host need it.
    private let isNeededHere: Bool

    /// A generated password.
    ///
    /// - Parameter isNeededHere: whether clients on the server's own host need it.
    public init(_ password: GeneratedPassword, of user: GeneratedPassword.User = .viewer, isNeededHere: Bool) {
        self.init(user: "\(user)", escapedPassword: password.text, isNeededHere: isNeededHere)
    }

    /// The word PASSWORD in place of a generated password, for texts that other users can read.
    static func hidden(of user: GeneratedPassword.User = .viewer, isNeededHere: Bool) -> Self {
        Self(user: "\(user)", escapedPassword: "PASSWORD", isNeededHere: isNeededHere)
    }

    /// A user of the configuration, which needs the password on every host.
    public init(user: String, password: String) {
        self.init(user: escaped(user), escapedPassword: escaped(password), isNeededHere: true)
    }

    private init(user: String, escapedPassword: String, isNeededHere: Bool) {
        userInformation = "\(user):\(escapedPassword)@"
        query = "?user=\(user)&pass=\(escapedPassword)"
        streamIDParts = ":\(user):\(escapedPassword)"
        self.isNeededHere = isNeededHere
    }

    /// The part of a URL before `host`; empty if clients of that host need no password.
    func text(at host: URLHost) -> String {
        host.isLoopback && !isNeededHere ? "" : userInformation
    }

    /// The query of a URL for RTMP; empty if clients of that host need no password.
    func query(at host: URLHost) -> String { host.isLoopback && !isNeededHere ? "" : query }

    /// The end of a stream id of SRT; empty if clients of that host need no password.
    func streamIDParts(at host: URLHost) -> String { host.isLoopback && !isNeededHere ? "" : streamIDParts }
}

extension URLLogin: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "redacted" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// `text` with all but unreserved characters percent-encoded (RFC 3986, section 2.1).
private func escaped(_ text: String) -> String {
    let unreserved = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~".utf8
    let digits = Array("0123456789abcdef".utf8)
    let bytes = text.utf8.flatMap { byte in
        unreserved.contains(byte) ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return String(decoding: bytes, as: UTF8.self)
}

// MARK: - Users of the configuration

/// Why there is no URL with a user and password.
public enum URLLoginFailure: Error, Hashable, Sendable, CustomStringConvertible {
    case noUsers
    case noUser(String, nearest: String?)
    case notPermitted(user: String, path: String)
    case wrongPassword(user: String)
    case noHashFunctions(OpenSSLFailure)

    public var description: String {
        switch self {
        case .noUsers: "the configuration has no users; leave out --user"
        case .noUser(let name, let nearest):
            "the configuration has no user \(printable(name))" + (nearest.map { "; did you mean \($0)?" } ?? "")
        case .notPermitted(let user, let path):
            "\(user) may not watch /\(printable(path)); see the option users.\(user).read"
        case .wrongPassword(let user): "this is not the password of \(user)"
        case .noHashFunctions(let failure): "\(failure)"
        }
    }
}

extension Configuration {
    /// The login of `user` for URLs of the path `path`.
    ///
    /// - Parameter password: asks for the password; not called if the configuration contains the password itself.
    /// - Throws: ``URLLoginFailure`` if the server would refuse the login; the errors of `password`.
    public func urlLogin(of user: String, watching path: String, password: () throws -> String) throws -> URLLogin {
        // Only the web server knows which password is correct.
        if !access.httpCallback.isEmpty {
            let typed = try password()
            guard !typed.isEmpty else { throw URLLoginFailure.wrongPassword(user: user) }
            return URLLogin(user: user, password: typed)
        }
        guard !users.isEmpty else { throw URLLoginFailure.noUsers }
        guard let settings = users[user], let stored = settings.password else {
            throw URLLoginFailure.noUser(user, nearest: nearestName(to: user, among: users.keys))
        }
        guard Grant(user: user, [.read: settings.read]).admits(.read, "/" + path) else {
            throw URLLoginFailure.notPermitted(user: user, path: path)
        }
        if case .password(let plain) = stored.secret { return URLLogin(user: user, password: plain) }
        let typed = try password()
        guard try isRight(typed, of: user, stored) else { throw URLLoginFailure.wrongPassword(user: user) }
        return URLLogin(user: user, password: typed)
    }

    private func isRight(_ password: String, of user: String, _ stored: StoredPassword) throws(URLLoginFailure) -> Bool
    {
        let hashes: HashFunctions
        do throws(OpenSSLFailure) { hashes = try .openSSL() } catch { throw .noHashFunctions(error) }
        switch stored.secret {
        case .password(let plain): return password == plain
        case .digest(let digest):
            let algorithm = access.digest
            return hashes.digestSecret(algorithm, user: user, realm: access.realm, password: password) == digest
        case .salted(let salt, let key): return hashes.stretched(Array(password.utf8), salt) == key
        }
    }
}
