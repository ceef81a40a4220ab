@testable import RTSP

/// What was read from an Authorization header is written so that it reads the same, and is what a client answers that asks for that; a
/// block of addresses, and a pattern of paths, are written so that they read the same, and rules admit whom their blocks hold.
@Sendable func fuzzAuthorization(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    if case .digest(let credentials)? = Authorization(text) {
        let written = credentials.headerValue
        require(Authorization(written) == .digest(credentials), "Digest reads the same when written: \(written)")
        require(credentials.response.utf8.count == credentials.algorithm.digitCount, "a response is a hash")
        let hasCounted = credentials.protection.map { !$0.clientNonce.isEmpty } ?? true
        require(hasCounted, "who counts has a nonce of its own")
        require(credentials.isValid(for: credentials.uri, nil), "it is meant for what it names")
        checkAnswer(of: credentials)
    }
    if let block = AddressBlock(text) { check(block) }
    if let pattern = PathPattern(text) {
        require(PathPattern(pattern.description) == pattern, "\(pattern) reads the same")
    }
}

/// Who answers the same challenge for the same request says the same, but for the response.
private func checkAnswer(of credentials: DigestCredentials) {
    let challenge = DigestChallenge(
        realm: credentials.realm, nonce: credentials.nonce, algorithm: credentials.algorithm)
    let answer = DigestCredentials(
        answering: challenge, user: credentials.user, password: "sesame", method: .describe, uri: credentials.uri,
        protection: credentials.protection, hashes: .folding)
    require(Authorization(answer.headerValue) == .digest(answer), "an answer reads the same: \(answer.headerValue)")
    let url = RequestURL(credentials.uri)
    if let url { require(answer.isValid(for: "rtsp://other/", url), "it is meant for a URL of the same path: \(url)") }
}

private func check(_ block: AddressBlock) {
    require(AddressBlock(block.description) == block, "\(block) reads the same")
    guard let first = IPAddress(block.description.prefix { $0 != "/" }) else {
        return require(false, "\(block) begins with an address")
    }
    require(block.contains(first), "\(block) holds its first address")
    let stranger = if case .ipv4 = first { IPAddress.loopback6 } else { IPAddress.ipv4(0) }
    require(!block.contains(stranger), "\(block) holds none of the other family")
    let (allowing, denying) = (AddressRules(allowed: [block]), AddressRules(denied: [block]))
    require(allowing.admits(first) && !denying.admits(first), "whom a block holds, its rules admit or deny")
    require(!allowing.admits(stranger) && denying.admits(stranger), "whom it does not hold, they do not")
    require(
        !AddressRules(allowed: [block], denied: [block]).admits(first), "what is denied is denied, whatever is allowed")
    require(!allowing.admits(nil) && !denying.admits(nil), "no list is sure of an address that cannot be read")
}
