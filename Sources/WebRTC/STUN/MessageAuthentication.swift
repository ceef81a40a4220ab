/// HMAC-SHA1 of a message (RFC 2104), which the caller provides: 20 bytes.
public typealias MessageAuthentication = @Sendable (_ message: [UInt8], _ key: [UInt8]) -> [UInt8]
