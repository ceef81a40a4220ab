import Wire

/// The digests that Flash Player 9 and later, and FFmpeg as a client, put into the handshake, and which they check in the answer.
///
/// They are not in Adobe's specification; what is here follows what FFmpeg, nginx-rtmp and SRS agree on. The random bytes of a peer
/// contain 32 bytes at a position that four other bytes tell, in one of two layouts: HMAC-SHA-256 of all other bytes with a public key.
/// Digests protect nothing.
struct HandshakeDigest: Sendable {
    /// The bytes of a digest.
    static let byteCount = 32

    private let authenticationCode: AuthenticationCode

    init(_ authenticationCode: @escaping AuthenticationCode) {
        self.authenticationCode = authenticationCode
    }

    /// Where the four bytes are that tell the position of the digest; the digest is in the 728 bytes behind them.
    enum Layout: Int, CaseIterable, Sendable {
        case digestFirst = 8
        case keyFirst = 772

        func position(in packet: [UInt8]) -> Int {
            packet[rawValue..<(rawValue + 4)].reduce(0) { $0 + Int($1) } % 728 + rawValue + 4
        }
    }

    /// The layout and the digest of a client's packet; `nil` if it has none.
    func find(in packet: [UInt8]) -> (layout: Layout, digest: [UInt8])? {
        for layout in Layout.allCases {
            let position = layout.position(in: packet)
            let digest = Array(packet[position..<(position + Self.byteCount)])
            if digest == self.digest(of: packet, without: position, key: Self.playerName) { return (layout, digest) }
        }
        return nil
    }

    /// Puts the digest of a server into its packet of random bytes.
    func sign(_ packet: inout [UInt8], _ layout: Layout) {
        let position = layout.position(in: packet)
        let digest = digest(of: packet, without: position, key: Self.serverName)
        packet.replaceSubrange(position..<(position + Self.byteCount), with: digest)
    }

    /// The answer to a client's digest: random bytes, and their code with a key that is made of the digest.
    func answer(to digest: [UInt8], random: [UInt8]) -> [UInt8] {
        let bytes = random.prefix(Handshake.packetByteCount - Self.byteCount)
        let key = authenticationCode(digest, Self.serverName + Self.keyEnd)
        return bytes + authenticationCode(Array(bytes), key)
    }

    private func digest(of packet: [UInt8], without position: Int, key: [UInt8]) -> [UInt8] {
        authenticationCode(Array(packet[..<position] + packet[(position + Self.byteCount)...]), key)
    }

    private static let playerName = Array("Genuine Adobe Flash Player 001".utf8)
    private static let serverName = Array("Genuine Adobe Flash Media Server 001".utf8)
    private static let keyEnd: [UInt8] = [
        0xF0, 0xEE, 0xC2, 0x4A, 0x80, 0x68, 0xBE, 0xE8, 0x2E, 0x00, 0xD0, 0xD1, 0x02, 0x9E, 0x7E, 0x57, 0x6E, 0xEC,
        0x5D, 0x2D, 0x29, 0x80, 0x6F, 0xAB, 0x93, 0xB8, 0xE6, 0x36, 0xCF, 0xEB, 0x31, 0xAE,
    ]
}

/// HMAC-SHA-256 of a message (RFC 2104), which the caller provides: 32 bytes.
public typealias AuthenticationCode = @Sendable (_ message: [UInt8], _ key: [UInt8]) -> [UInt8]
