import RTMP
import RTSP
import SDP

extension RTSP.ClientLogin {
    /// The login for another server: these credentials, or else those of the URL; `nil` without a user.
    ///
    /// - Parameter user: empty for that of the URL.
    init?(at url: RequestURL, user: String, password: String) throws(OpenSSLFailure) {
        let information = url.userInformation
        let name = user.isEmpty ? information?.user : user
        guard let name else { return nil }
        let secret = user.isEmpty ? information?.password ?? "" : password
        self.init(user: name, secret: .password(secret), hashes: try .openSSL()) {
            var numbers = SystemRandomNumberGenerator()
            return numbers.next()
        }
    }
}

extension RTMP.ClientLogin {
    /// The login for another server.
    init(user: String, password: String) throws(OpenSSLFailure) {
        let hashes = try HashFunctions.openSSL()
        let challenge = String(UInt32.random(in: .min ... .max), radix: 16)
        self.init(user: user, password: password, clientChallenge: challenge) {
            Base64.encode(hashes.md5(Array($0.utf8)))
        }
    }
}
