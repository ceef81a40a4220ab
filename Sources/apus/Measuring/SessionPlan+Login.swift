import RTSP
import RTSPClient
import Server

extension SessionPlan {
    /// Makes it ready to log in with the user and password of its URL, if it has one.
    ///
    /// - Throws: where the URL has one, and OpenSSL cannot be used.
    mutating func prepareLogin() throws(OpenSSLFailure) {
        guard let information = url.userInformation else { return }
        login = ClientLogin(information, hashes: try .openSSL()) {
            var numbers = SystemRandomNumberGenerator()
            return numbers.next()
        }
    }
}
