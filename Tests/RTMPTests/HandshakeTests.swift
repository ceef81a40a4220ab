import Synchronization
import Testing

@testable import RTMP

@Suite struct HandshakeTests {
    private static let random = (0..<3072).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    /// A code that depends on all bytes of the message and the key, in the place of HMAC-SHA-256.
    private static let code: AuthenticationCode = { message, key in
        var state: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in key + message { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return (0..<32).map { UInt8(truncatingIfNeeded: state >> UInt64($0)) }
    }

    private func steps(_ handshake: ServerHandshake, _ pieces: [[UInt8]]) throws -> (sent: [UInt8], rest: [UInt8]?) {
        var (handshake, sent) = (handshake, [UInt8]())
        for piece in pieces {
            var step = try handshake.received(piece.rawSpan)
            if case .send(let answer) = step {
                sent += answer
                step = try handshake.received([UInt8]().rawSpan)
            }
            if case .finished(let rest) = step { return (sent, rest) }
        }
        return (sent, nil)
    }

    @Test func theSimpleAnswerIsAnEcho() throws {
        let packet = Handshake.packet(random: [UInt8](repeating: 9, count: 1536))
        let bytes = [3] + packet + [UInt8](repeating: 0, count: 1536) + [1, 2, 3]
        let server = ServerHandshake(random: Self.random, authenticationCode: { Self.code })
        let whole = try steps(server, [bytes])
        #expect(whole.sent.count == 1 + 2 * 1536)
        #expect(whole.sent[0] == 3)
        // The version in S1 is 0, so FFmpeg does not look for a digest.
        #expect(Array(whole.sent[1..<9]) == [0, 0, 0, 0, 0, 0, 0, 0])
        #expect(Array(whole.sent.suffix(1536)) == packet)
        #expect(whole.rest == [1, 2, 3])
        for split in 0...bytes.count {
            let parts = try steps(server, [Array(bytes[..<split]), Array(bytes[split...])])
            // The handshake may end in the first part; the second is then not read by it.
            let rest = split < 3073 ? [1, 2, 3] : Array(bytes[3073..<split])
            guard parts.sent != whole.sent || parts.rest != rest else { continue }
            Issue.record("split at \(split)")
        }
    }

    @Test(arguments: HandshakeDigest.Layout.allCases)
    func aDigestIsAnsweredByDigests(layout: HandshakeDigest.Layout) throws {
        let digest = HandshakeDigest(Self.code)
        var packet = Self.packetOfFlash
        let position = layout.position(in: packet)
        let name = Array("Genuine Adobe Flash Player 001".utf8)
        let own = Self.code(Array(packet[..<position] + packet[(position + 32)...]), name)
        packet.replaceSubrange(position..<(position + 32), with: own)
        #expect(digest.find(in: packet)?.digest == own)
        #expect(digest.find(in: packet)?.layout == layout)

        let server = ServerHandshake(random: Self.random, authenticationCode: { Self.code })
        let sent = try steps(server, [[3] + packet]).sent
        let first = Array(sent[1...1536])
        let place = layout.position(in: first)
        let serverName = Array("Genuine Adobe Flash Media Server 001".utf8)
        let expected = Self.code(Array(first[..<place] + first[(place + 32)...]), serverName)
        #expect(Array(first[place..<(place + 32)]) == expected)
        #expect(first[4] >= 3)
        #expect(Array(sent.suffix(1536)) == digest.answer(to: own, random: Array(Self.random.suffix(1536))))
    }

    /// What `Handshake.packet` gives, with the version of Flash Player that FFmpeg sends.
    private static let packetOfFlash: [UInt8] = {
        var packet = Handshake.packet(random: random.map { $0 ^ 0x5A })
        packet.replaceSubrange(4..<8, with: [9, 0, 124, 2])
        return packet
    }()

    /// nginx-rtmp gives such a client a simple answer, too.
    @Test(arguments: [true, false]) func aClientWithoutDigestGetsTheSimpleAnswer(hasVersion: Bool) throws {
        let packet = hasVersion ? Self.packetOfFlash : Handshake.packet(random: Self.random)
        let isAsked = Mutex(false)
        let server = ServerHandshake(random: Self.random) {
            isAsked.withLock { $0 = true }
            return Self.code
        }
        let sent = try steps(server, [[3] + packet]).sent
        #expect(Array(sent[1..<9]) == [0, 0, 0, 0, 0, 0, 0, 0])
        #expect(Array(sent.suffix(1536)) == packet)
        #expect(isAsked.withLock(\.self) == hasVersion, "without a version, nothing is computed")
    }

    @Test func aServerWithoutHashFunctionsGivesTheSimpleAnswer() throws {
        let server = ServerHandshake(random: Self.random, authenticationCode: { nil })
        let sent = try steps(server, [[3] + Self.packetOfFlash]).sent
        #expect(Array(sent.suffix(1536)) == Self.packetOfFlash)
    }

    @Test func encryptedRTMPIsRefused() {
        var server = ServerHandshake(random: Self.random, authenticationCode: { nil })
        #expect(throws: RTMPError.unsupportedVersion(6)) { _ = try server.received([UInt8]([6]).rawSpan) }
    }
}
