import RTP

/// Why a request was refused: for the log and for counting, not for the client.
public enum AccessFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The address is denied.
    case address
    /// The request has no credentials, like the first request of every client. Clients of ``SATIP`` do not support challenges.
    case noCredentials(RTPEncapsulation)
    /// The password is wrong, or the user is unknown: then `user` is `nil`. The name of an unknown user is not logged, because it may be a
    /// password that was typed in the wrong field.
    case wrongCredentials(user: String?)
    /// The credentials are unreadable, duplicated, Basic without TLS, or for another request. They do not count as a guess.
    case unusableCredentials
    /// The credentials are in the URL, which the policy does not allow for this client.
    case credentialsInURL
    /// The client has answered a challenge of RTMP that needs the password itself, and only a hash is stored.
    case passwordIsNotStored(user: String)
    /// The address has sent too many wrong passwords.
    case lockedOut(seconds: Int)
    /// The credentials are correct, but the nonce has expired or belongs to another connection.
    case staleNonce
    /// The user has no permission for the request, or not from this address.
    case notPermitted(user: String)
    /// The external service refused the request. It counts as a guess if the request had a password.
    case deniedExternally(countsAsGuess: Bool)
    /// The token or the session has ended, was made by another process or for something else, or the password has changed since.
    case invalidToken
    /// This host has no hash functions to check a password.
    case noHashFunctions

    public var description: String {
        switch self {
        case .address: "the client's address is not allowed"
        case .noCredentials: "no user and password"
        case .wrongCredentials(let user?): "wrong password of user \(user)"
        case .wrongCredentials: "unknown user (VLC may send user names in lower case)"
        case .unusableCredentials: "unusable credentials: the server accepts Digest, or Basic inside TLS"
        case .credentialsInURL:
            "the password is in the URL, unencrypted, and access.satip does not allow that for this address"
        case .passwordIsNotStored(let user):
            "only a hash of the password of user \(user) is known here, with which the challenge of RTMP (authmod=adobe) cannot be "
                + "checked: use ?user=USER&pass=PASSWORD"
        case .lockedOut(let seconds): "too many wrong passwords from this address: locked out for \(seconds) s"
        case .staleNonce: "credentials for an old challenge"
        case .notPermitted(let user): "user \(user) has no permission for this"
        case .deniedExternally: "refused by access.httpCallback"
        case .invalidToken: "the session or the token is not valid, or no longer"
        case .noHashFunctions: "passwords cannot be checked without OpenSSL's libcrypto: install libssl3"
        }
    }
}
