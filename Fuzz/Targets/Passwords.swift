import Fuzzing
import RTSP
import Server

/// Passwords in files and URLs: they are read unchanged, and no description shows them.
@Sendable func fuzzPasswords(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    if let password = GeneratedPassword(text) {
        require(password.text == text && (8...64).contains(input.count), "a generated password is the text")
        checkThatNothingShows(password)
        require(GeneratedPassword(GeneratedPassword.random().text) != nil, "a generated password is valid")
    }
    if let stored = StoredPassword(text) {
        check(stored, of: text)
        checkThatNothingShows(stored)
    }
    let shown = UserInformation.removed(from: text)
    require(shown.utf8.count <= input.count * 3, "nothing is added to a URL without its user")
    if let url = RequestURL(text), let information = url.userInformation {
        checkThatNothingShows(information)
        require(RequestURL(shown)?.userInformation == nil, "the shown URL has no user: \(shown)")
    }
}

private func check(_ stored: StoredPassword, of text: String) {
    switch stored.secret {
    case .password(let password): require(password == text && stored.algorithm == nil, "a password is the text itself")
    case .digest(let digest):
        require(stored.algorithm.map { digest.utf8.count == $0.digitCount } == true, "a hash has its length")
        require(StoredPassword(text.lowercased()) == stored, "a hash may be in capitals")
    case .salted(let salt, let key): require(salt.count == 16 && key.count == 32, "salt and key have their lengths")
    }
}

private func checkThatNothingShows(_ secret: Any) {
    require("\(secret)" == "redacted" && String(reflecting: secret) == "redacted", "no description shows the password")
    require(Mirror(reflecting: secret).children.isEmpty, "a mirror does not show the password")
}
