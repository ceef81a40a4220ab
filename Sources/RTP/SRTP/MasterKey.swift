/// What both ends derive their session keys from (RFC 3711, section 3.2.1): each track of each session has one of its own.
public struct MasterKey: Hashable, Sendable, CustomStringConvertible {
    public let suite: CipherSuite
    public let key: [UInt8]
    public let salt: [UInt8]
    /// What names the key in each packet (MKI); empty where packets name none.
    public let identifier: [UInt8]

    /// What a packet may name a key by at most, as libsrtp has it.
    public static let maximumIdentifierByteCount = 128

    /// - Parameter material: key and salt, one behind the other; `nil` where they are not as long as the suite's.
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

    /// A new one.
    ///
    /// - Parameter random: numbers that nobody can foresee. No generator: ThreadSanitizer takes one without a state for memory.
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

    /// Key and salt, one behind the other.
    public var material: [UInt8] { key + salt }

    /// Nothing of the key: it may end up in a log.
    public var description: String { "a key for \(suite)" }
}
