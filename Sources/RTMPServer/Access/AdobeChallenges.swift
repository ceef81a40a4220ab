import Media
import RTMP
import RTSP
import SDP

/// The challenges of `authmod=adobe`. The answer comes on another connection, so a challenge states when it was made, and contains a code
/// that only this process can make, for the client's address. Nothing is stored.
struct AdobeChallenges: Sendable {
    /// How long an answer may take, in nanoseconds: clients answer at once.
    private static let lifetime: Int64 = 60_000_000_000

    private let key: [UInt8]
    /// The salt of all answers.
    let salt: String

    /// - Parameter random: unpredictable numbers.
    init(random: () -> UInt64) {
        key = (0..<32).map { _ in UInt8(truncatingIfNeeded: random()) }
        salt = Self.digits(random())
    }

    /// A challenge for a client at `address`.
    func text(for address: String, at now: MonotonicTime, _ hashes: HashFunctions) -> String {
        let time = Self.digits(UInt64(bitPattern: now.nanoseconds))
        return time + code(of: time, for: address, hashes)
    }

    /// Whether the client at `address` may answer this challenge now.
    func admits(_ text: String, from address: String, at now: MonotonicTime, _ hashes: HashFunctions) -> Bool {
        let time = String(text.prefix(16))
        guard text.utf8.count == 48, let nanoseconds = UInt64(time, radix: 16),
            code(of: time, for: address, hashes) == text.dropFirst(16)
        else { return false }
        let age = now.nanoseconds &- Int64(bitPattern: nanoseconds)
        return (0..<Self.lifetime).contains(age)
    }

    /// What the client's answer to a challenge must prove.
    func login(_ response: AdobeAuthentication.Response, _ hashes: HashFunctions) -> Authenticator.Login {
        let (user, salt) = (response.user, salt)
        let digest: AdobeAuthentication.Digest = { Base64.encode(hashes.md5(Array($0.utf8))) }
        return .proof(user: user) { password in
            let secret = AdobeAuthentication.secret(user: user, salt: salt, password: password, digest)
            return response.expectedDigest(secret: secret, digest) == response.digest
        }
    }

    /// The first 16 bytes of the code, in hexadecimal digits.
    private func code(of time: String, for address: String, _ hashes: HashFunctions) -> String {
        let code = hashes.authenticationCode(of: Array("\(time) \(address)".utf8), key: key)
        return code.prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func digits(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
