import Media

/// Makes and checks texts by which a client proves that it has authenticated before: the session of a browser, and a token for one
/// URL.
///
/// A text names its user and its end, and contains a code that only this process can make. The code also covers what the text does
/// not contain: what the token is for, where it was given, and the user's password. So a token ends when the password changes, and
/// nothing is stored. May be used from any thread.
public struct AccessTokens: Sendable {
    /// What a token permits.
    public enum Purpose: Hashable, Sendable {
        /// Everything that its user may do.
        case session
        /// To watch one path, with its leading slash.
        case watching(String)

        fileprivate var text: String {
            switch self {
            case .session: "session"
            case .watching(let path): "watching \(path)"
            }
        }
    }

    /// The hexadecimal digits of the end and of the code.
    private static let (endDigitCount, codeDigitCount) = (16, 64)

    private let key: [UInt8]

    /// - Parameter random: unpredictable numbers.
    public init(random: () -> UInt64) {
        key = (0..<32).map { _ in UInt8(truncatingIfNeeded: random()) }
    }

    /// The token of a user.
    ///
    /// - Parameters:
    ///   - place: what the client must have in common with the client that got the token, such as its address.
    ///   - mark: changes when the user's password changes.
    func text(
        for purpose: Purpose, of user: String, at place: String, until end: MonotonicTime, mark: String,
        _ hashes: HashFunctions
    ) -> String {
        let digits = Digits.hexadecimal(UInt64(bitPattern: end.nanoseconds), count: Self.endDigitCount)
        return digits + user + code(for: purpose, of: user, at: place, until: end, mark: mark, hashes)
    }

    /// A token as a client sent it, not yet checked.
    struct Presented {
        let user: String
        let end: MonotonicTime
        fileprivate let code: String

        /// `nil` if it has not the form of a token.
        init?(_ text: String) {
            let bytes = Array(text.utf8)
            let (first, last) = (AccessTokens.endDigitCount, bytes.count - AccessTokens.codeDigitCount)
            guard last > first, bytes.count <= 200,
                let end = UInt64(String(decoding: bytes[..<first], as: UTF8.self), radix: 16)
            else { return nil }
            user = String(decoding: bytes[first..<last], as: UTF8.self)
            self.end = MonotonicTime(nanoseconds: Int64(bitPattern: end))
            code = String(decoding: bytes[last...], as: UTF8.self)
        }
    }

    /// Whether a token was made for this purpose, place and password, and has not ended.
    func admits(
        _ token: Presented, for purpose: Purpose, at place: String, mark: String, at now: MonotonicTime,
        _ hashes: HashFunctions
    ) -> Bool {
        let code = code(for: purpose, of: token.user, at: place, until: token.end, mark: mark, hashes)
        return hashes.areEqual(code, token.code) && now < token.end
    }

    private func code(
        for purpose: Purpose, of user: String, at place: String, until end: MonotonicTime, mark: String,
        _ hashes: HashFunctions
    ) -> String {
        // No part contains a line feed.
        let message = [purpose.text, user, place, "\(end.nanoseconds)", mark].joined(separator: "\n")
        return Digits.hexadecimal(of: hashes.authenticationCode(of: Array(message.utf8), key: key))
    }
}
