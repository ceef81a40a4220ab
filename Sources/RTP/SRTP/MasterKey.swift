/// The key from which both ends derive their session keys (RFC 3711, section 3.2.1). Each track of each session has its own.
public struct MasterKey: Hashable, Sendable, CustomStringConvertible {
    public let suite: CipherSuite
    public let key: [UInt8]
    public let salt: [UInt8]
    /// The master key identifier (MKI) in each packet; empty if packets have none.
    public let identifier: [UInt8]

    /// The maximum size of a master key identifier, as in libsrtp.
    public static let maximumIdentifierByteCount = 128

    /// - Parameter material: key and salt, back to back; `nil` is returned if their size does not match the suite.
    public init?(_ suite: CipherSuite, material: [UInt8], identifier: [UInt8] = []) {
        guard material.count == CipherSuite.keyByteCount + suite.saltByteCount,
            identifier.count <= Self.maximumIdentifierByteCount
        else { return nil }
        self.suite = suite
        key = Array(material[..<CipherSuite.keyByteCount])
        salt = Array(material[CipherSuite.keyByteCount...])
        self.identifier = identifier
    }

    private init(_ suite: CipherSuite, key: [UInt8], salt: [UInt8], identifier: [UInt8]) {
        (self.suite, self.key, self.salt, self.identifier) = (suite, key, salt, identifier)
    }

    /// Makes a new random key.
    ///
    /// - Parameter random: must be unpredictable. A closure, because ThreadSanitizer reports a generator without state falsely.
    public static func random(
        _ suite: CipherSuite, identifierByteCount: Int, by random: () -> UInt64
    ) -> Self {
        let saltEnd = CipherSuite.keyByteCount + suite.saltByteCount
        let byteCount = saltEnd + min(identifierByteCount, maximumIdentifierByteCount)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        for _ in 0..<byteCount { bytes.append(UInt8(truncatingIfNeeded: random())) }
        return Self(
            suite, key: Array(bytes[..<CipherSuite.keyByteCount]),
            salt: Array(bytes[CipherSuite.keyByteCount..<saltEnd]),
            identifier: Array(bytes[saltEnd...]))
    }

    /// Key and salt, back to back.
    public var material: [UInt8] { key + salt }

    /// Contains no part of the key, because it may be logged.
    public var description: String { "a key for \(suite)" }
}
