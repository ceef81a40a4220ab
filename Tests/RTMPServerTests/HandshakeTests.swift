import RTSP
import TestSupport
import Testing

/// Clients with and without digests on the real server.
@Suite(.serialized)
struct HandshakeTests {
    private static let packetByteCount = 1536

    /// The client's part, as FFmpeg's `rtmpproto.c` has it.
    private struct DigestClient {
        static let playerKey = Array("Genuine Adobe Flash Player 001".utf8)
        static let serverKey = Array("Genuine Adobe Flash Media Server 001".utf8)
        static let keyEnd: [UInt8] = [
            0xF0, 0xEE, 0xC2, 0x4A, 0x80, 0x68, 0xBE, 0xE8, 0x2E, 0x00, 0xD0, 0xD1, 0x02, 0x9E, 0x7E, 0x57,
            0x6E, 0xEC, 0x5D, 0x2D, 0x29, 0x80, 0x6F, 0xAB, 0x93, 0xB8, 0xE6, 0x36, 0xCF, 0xEB, 0x31, 0xAE,
        ]

        static func code(_ message: some Sequence<UInt8>, _ key: [UInt8]) -> [UInt8] {
            HashFunctions.mixing.authenticationCode(of: Array(message), key: key)
        }

        /// The place of the digest in a packet, by the four bytes at `offset`.
        static func place(in packet: [UInt8], _ offset: Int) -> Int {
            packet[offset..<offset + 4].reduce(0) { $0 + Int($1) } % 728 + offset + 4
        }

        static func digest(of packet: [UInt8], without place: Int, _ key: [UInt8]) -> [UInt8] {
            code(packet[..<place] + packet[(place + 32)...], key)
        }

        let offset: Int
        private(set) var packet: [UInt8]
        private var own: [UInt8] = []

        /// - Parameter offset: 8 or 772: where the four bytes are.
        init(_ offset: Int) {
            var random = SplitMix64(seed: UInt64(offset))
            self.offset = offset
            packet = [0, 0, 0, 0, 9, 0, 124, 2] + random.bytes(packetByteCount - 8)
            let place = Self.place(in: packet, offset)
            own = Self.digest(of: packet, without: place, Self.playerKey)
            packet.replaceSubrange(place..<place + 32, with: own)
        }

        /// Whether S1 has a digest of a server.
        func accepts(first: [UInt8]) -> Bool {
            let place = Self.place(in: first, offset)
            return Array(first[place..<place + 32]) == Self.digest(of: first, without: place, Self.serverKey)
        }

        /// Whether S2 answers the digest in C1.
        func accepts(second: [UInt8]) -> Bool {
            let key = Self.code(own, Self.serverKey + Self.keyEnd)
            return Array(second.suffix(32)) == Self.code(second.dropLast(32), key)
        }
    }

    /// S0, S1 and S2 for a C1.
    private func answer(
        to packet: [UInt8], of broadcast: RTMPBroadcast
    ) throws -> (version: UInt8, first: [UInt8], second: [UInt8]) {
        let socket = try LoopbackSocket(port: broadcast.port)
        socket.send([3] + packet)
        var bytes: [UInt8] = []
        while bytes.count < 1 + 2 * Self.packetByteCount {
            let more = try #require(socket.receive(within: 20))
            try #require(!more.isEmpty)
            bytes += more
        }
        return (bytes[0], Array(bytes[1...Self.packetByteCount]), Array(bytes.suffix(Self.packetByteCount)))
    }

    @Test(arguments: [8, 772]) func aClientWithADigestIsAnsweredByDigests(offset: Int) async throws {
        try await RTMPBroadcast.run(access: .users()) { broadcast in
            let client = DigestClient(offset)
            let answer = try answer(to: client.packet, of: broadcast)
            #expect(answer.version == 3)
            // FFmpeg looks for digests only then.
            #expect(answer.first[4] >= 3)
            #expect(client.accepts(first: answer.first))
            #expect(client.accepts(second: answer.second))
        }
    }

    @Test(arguments: [[0, 0, 0, 0], [9, 0, 124, 2]] as [[UInt8]])
    func aClientWithoutDigestGetsTheSimpleAnswer(version: [UInt8]) async throws {
        var random = SplitMix64(seed: 1)
        let packet = [0, 0, 0, 0] + version + random.bytes(Self.packetByteCount - 8)
        try await RTMPBroadcast.run(access: .users()) { broadcast in
            let answer = try answer(to: packet, of: broadcast)
            #expect(Array(answer.first[4..<8]) == [0, 0, 0, 0])
            #expect(answer.second == packet)
        }
    }

    @Test func withoutUsersTheAnswerIsSimple() async throws {
        try await RTMPBroadcast.run { broadcast in
            let client = DigestClient(8)
            let answer = try answer(to: client.packet, of: broadcast)
            #expect(answer.second == client.packet)
        }
    }
}
