import RTSP
import RTSPClient
import Server

extension SessionPlan {
    /// Sets the login if the URL has a user and password.
    ///
    /// - Throws: if a login is needed, but OpenSSL is not available.
    mutating func prepareLogin() throws(OpenSSLFailure) {
        guard let information = url.userInformation else { return }
        login = ClientLogin(information, hashes: try .openSSL(), random: ClientLogin.random)
    }

    /// Sets up TLS for an rtsps URL, without verification of the certificate.
    mutating func prepareSecurity() throws {
        guard isSecure else { return }
        try accept(.any)
    }
}

extension ClientLogin {
    /// Unpredictable numbers.
    static let random: @Sendable () -> UInt64 = {
        var numbers = SystemRandomNumberGenerator()
        return numbers.next()
    }
}
