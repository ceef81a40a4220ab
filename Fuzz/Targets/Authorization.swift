import RTSP

/// What was read from an Authorization header is written so that it reads the same, and opens nothing by itself; a block of
/// addresses is written so that it reads the same.
@Sendable func fuzzAuthorization(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    if case .digest(let credentials)? = Authorization(text) {
        let written = credentials.headerValue
        law(Authorization(written) == .digest(credentials), "Digest reads the same when written: \(written)")
        law(credentials.response.utf8.count == credentials.algorithm.digitCount, "a response is a hash")
        let hasCounted = credentials.protection.map { !$0.clientNonce.isEmpty } ?? true
        law(hasCounted, "who counts has a nonce of its own")
    }
    if let block = AddressBlock(text) { law(AddressBlock(block.description) == block, "\(block) reads the same") }
    if let pattern = PathPattern(text) { law(PathPattern(pattern.description) == pattern, "\(pattern) reads the same") }
}
