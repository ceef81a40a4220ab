/// The packets of the handshake (Adobe's RTMP specification, section 5.2): C0 and S0 are the version, C1, S1, C2 and S2 have 1 536 bytes.
enum Handshake {
    static let version: UInt8 = 3
    static let packetByteCount = 1536

    /// A first packet of the simple handshake: time 0, four zeros, random bytes.
    static func packet(random: [UInt8]) -> [UInt8] {
        [UInt8](repeating: 0, count: 8) + random.dropFirst(8).prefix(packetByteCount - 8)
    }

    /// What a part of the handshake does next.
    enum Step: Hashable, Sendable {
        case needsBytes
        case send([UInt8])
        /// The handshake is complete; these bytes come behind it.
        case finished(rest: [UInt8])
    }
}
