import Fuzzing

@testable import RTSP

/// Properties of Authorization headers, address blocks and path patterns: what was read is the same after writing and reading it
/// again; a client's credentials are read as written; rules admit exactly the addresses of their blocks.
@Sendable func fuzzAuthorization(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    if case .digest(let credentials)? = Authorization(text) {
        let written = credentials.headerValue
        require(Authorization(written) == .digest(credentials), "Digest reads the same when written: \(written)")
        require(credentials.response.utf8.count == credentials.algorithm.digitCount, "a response is a hash")
        let hasCounted = credentials.protection.map { !$0.clientNonce.isEmpty } ?? true
        require(hasCounted, "a nonce count needs a client nonce")
        require(credentials.isValid(for: credentials.uri, nil), "credentials apply to their own URI")
        checkAnswer(of: credentials)
    }
    if let block = AddressBlock(text) { check(block) }
    if let pattern = PathPattern(text) {
        require(PathPattern(pattern.description) == pattern, "\(pattern) reads the same")
    }
}

/// A client that answers the same challenge for the same request writes the same credentials, except for the response.
private func checkAnswer(of credentials: DigestCredentials) {
    let challenge = DigestChallenge(
        realm: credentials.realm, nonce: credentials.nonce, algorithm: credentials.algorithm)
    let answer = DigestCredentials(
        answering: challenge, user: credentials.user, password: "sesame", method: .describe, uri: credentials.uri,
        protection: credentials.protection, hashes: .folding)
    require(Authorization(answer.headerValue) == .digest(answer), "credentials read the same: \(answer.headerValue)")
    let url = RequestURL(credentials.uri)
    if let url {
        require(answer.isValid(for: "rtsp://other/", url), "credentials apply to a URL with the same path: \(url)")
    }
}

private func check(_ block: AddressBlock) {
    require(AddressBlock(block.description) == block, "\(block) reads the same")
    guard let first = IPAddress(block.description.prefix { $0 != "/" }) else {
        return require(false, "\(block) begins with an address")
    }
    require(block.contains(first), "\(block) contains its first address")
    let stranger = if case .ipv4 = first { IPAddress.loopback6 } else { IPAddress.ipv4(0) }
    require(!block.contains(stranger), "\(block) contains no address of the other family")
    let (allowing, denying) = (AddressRules(allowed: [block]), AddressRules(denied: [block]))
    require(allowing.admits(first) && !denying.admits(first), "rules admit or deny the addresses of their block")
    require(!allowing.admits(stranger) && denying.admits(stranger), "rules do not affect other addresses")
    require(
        !AddressRules(allowed: [block], denied: [block]).admits(first),
        "a denied address is denied even if it is allowed")
    require(
        !allowing.admits(nil) && !denying.admits(nil), "an unreadable address is neither admitted nor denied by a list")
}
