@testable import RTSP

/// What was read from an Authorization header is written so that it reads the same, and is what a client answers that asks for that; a
/// block of addresses, and a pattern of paths, are written so that they read the same.
@Sendable func fuzzAuthorization(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    if case .digest(let credentials)? = Authorization(text) {
        let written = credentials.headerValue
        law(Authorization(written) == .digest(credentials), "Digest reads the same when written: \(written)")
        law(credentials.response.utf8.count == credentials.algorithm.digitCount, "a response is a hash")
        let hasCounted = credentials.protection.map { !$0.clientNonce.isEmpty } ?? true
        law(hasCounted, "who counts has a nonce of its own")
        law(credentials.isMeant(for: credentials.uri, nil), "it is meant for what it names")
        checkAnswer(of: credentials)
    }
    if let block = AddressBlock(text) { law(AddressBlock(block.description) == block, "\(block) reads the same") }
    if let pattern = PathPattern(text) { law(PathPattern(pattern.description) == pattern, "\(pattern) reads the same") }
}

/// Who answers the same challenge for the same request says the same, but for the response.
private func checkAnswer(of credentials: DigestCredentials) {
    let challenge = DigestChallenge(
        realm: credentials.realm, nonce: credentials.nonce, algorithm: credentials.algorithm)
    let answer = DigestCredentials(
        answering: challenge, user: credentials.user, password: "sesame", method: .describe, uri: credentials.uri,
        protection: credentials.protection, hashes: .folding)
    law(Authorization(answer.headerValue) == .digest(answer), "an answer reads the same: \(answer.headerValue)")
    let url = RequestURL(credentials.uri)
    if let url { law(answer.isMeant(for: "rtsp://other/", url), "it is meant for a URL of the same path: \(url)") }
}
