import Media
import TestSupport
import Testing

@testable import TLS

/// What two ends say to one another, however their bytes are cut.
struct TLSConnectionTests {
    private static let request = Array("DESCRIBE rtsps://localhost/cam RTSP/1.0\r\nCSeq: 1\r\n\r\n".utf8)

    @Test(arguments: [UnverifiedTLSClient.Version.tls1_2, .tls1_3])
    func bothVersionsCarryBothDirections(version: UnverifiedTLSClient.Version) throws {
        var ends = try JoinedEnds.established(version...version)
        #expect(ends.server.version == (version == .tls1_2 ? "TLSv1.2" : "TLSv1.3"))
        let reply = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        ends.client.write(Self.request)
        ends.server.write(reply)
        #expect(
            ends.server.output.count < reply.count + 8 * 64, "seven records, each with less than 64 bytes of its own")
        ends.exchange()
        #expect(ends.heardByServer == Self.request && ends.heardByClient == reply)
        #expect(ends.server.output.isEmpty && ends.client.output.isEmpty)
    }

    @Test(arguments: [1, 2, 3, 7, 100, 1_000])
    func piecesOfAnyLengthSayTheSame(count: Int) throws {
        for version in [UnverifiedTLSClient.Version.tls1_2, .tls1_3] {
            var ends = try JoinedEnds(version...version)
            ends.exchange(inPiecesOf: count)
            try #require(ends.server.phase == .established && ends.client.phase == .established)
            ends.client.write(Self.request)
            ends.server.write(Self.request + Self.request)
            ends.exchange(inPiecesOf: count)
            #expect(ends.heardByServer == Self.request && ends.heardByClient == Self.request + Self.request)
        }
    }

    @Test func aClientsFirstWordsMayBeCutAnywhere() throws {
        let length = try JoinedEnds().client.output.count
        for split in 1..<length {
            var ends = try JoinedEnds()
            let hello = ends.client.takeOutput()
            ends.server.put(hello.prefix(split))
            #expect(ends.server.phase == .handshake && ends.server.output.isEmpty, "\(split)")
            ends.server.put(hello.dropFirst(split))
            ends.exchange()
            #expect(ends.server.phase == .established, "\(split)")
        }
    }

    @Test func aRecordMayBeCutAnywhere() throws {
        var ends = try JoinedEnds.established()
        for split in 0...Self.request.count + 22 {
            ends.client.write(Self.request)
            let record = ends.client.takeOutput()
            let first = ends.server.put(record.prefix(split))
            #expect(first.isEmpty || split == record.count)
            #expect(first + ends.server.put(record.dropFirst(split)) == Self.request, "\(split)")
        }
        ends.exchange()
        #expect(ends.server.phase == .established)
    }

    @Test func nothingIsSaidBeforeTheHandshakeIsComplete() throws {
        var ends = try JoinedEnds()
        ends.server.write(Self.request)
        ends.server.close()
        #expect(ends.server.output.isEmpty)
        ends.exchange()
        #expect(ends.heardByClient.isEmpty && ends.client.phase == .established)
    }

    @Test(arguments: [UnverifiedTLSClient.Version.tls1_2, .tls1_3])
    func whoEndsIsStillSpokenTo(version: UnverifiedTLSClient.Version) throws {
        var ends = try JoinedEnds.established(version...version)
        ends.client.write(Self.request)
        ends.client.close()
        #expect(ends.server.put(ends.client.takeOutput()) == Self.request)
        #expect(ends.server.phase == .ended && ends.server.failure == nil)
        ends.server.write([1, 2, 3])
        ends.server.close()
        #expect(!ends.server.output.isEmpty)
        ends.exchange()
        #expect(version == .tls1_2 || ends.heardByClient == [1, 2, 3])
    }

    // MARK: - What is no TLS, and what is broken

    @Test(arguments: ["OPTIONS rtsp://localhost/cam RTSP/1.0\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "options", "z"])
    func plainTextIsCalledSo(text: String) throws {
        let server = try JoinedEnds().server
        #expect(server.put(text.utf8).isEmpty)
        #expect(server.phase == .failed(.plainText) && server.output.isEmpty && server.nextDeadline == nil)
        #expect("\(TLSFailure.plainText)".contains("rtsps://"))
    }

    @Test(arguments: [UInt8(0), 0x14, 0x15, 0x17, 0x24, 0x80, 0xFF])
    func whatBeginsOtherwiseThanAHandshakeIsNone(first: UInt8) throws {
        let server = try JoinedEnds().server
        server.put([first] + [UInt8](repeating: 3, count: 200))
        #expect(server.phase == .failed(.notTLS(firstByte: first)) && server.output.isEmpty)
    }

    @Test func garbageFailsAndSaysLittle() throws {
        var numbers = SplitMix64(seed: 8322)
        for _ in 0..<2_000 {
            let server = try JoinedEnds().server
            // Half of them begin as handshakes do.
            var bytes: [UInt8] = numbers.next() % 2 == 0 ? [22] : [22, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3]
            bytes += (0..<300).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
            #expect(server.put(bytes).isEmpty)
            #expect(server.phase != .established && server.output.count < 200)
        }
    }

    @Test func aHandshakeThatIsCutShortWaitsUntilItsDeadline() throws {
        let hello = try JoinedEnds().client.takeOutput()
        for length in [0, 1, 5, 6, hello.count - 1] {
            let server = try JoinedEnds().server
            server.put(hello.prefix(length))
            let due = try #require(server.nextDeadline)
            #expect(due == JoinedEnds.start.advanced(byMilliseconds: 10_000))
            server.deadlinePassed(at: due.advanced(byMilliseconds: -1))
            #expect(server.phase == .handshake)
            server.deadlinePassed(at: due)
            #expect(server.phase == .failed(.handshakeTooSlow(seconds: 10)) && server.nextDeadline == nil)
            #expect(server.put(hello.dropFirst(length)).isEmpty && server.output.isEmpty)
        }
        #expect(try JoinedEnds.established().server.nextDeadline == nil)
    }

    @Test func aHandshakeIsNotOfAnyLength() throws {
        var limits = TLSConnection.HandshakeLimits()
        limits.byteCount = 4_096
        let server = try JoinedEnds(limits: limits).server
        // A record of 16 KB that begins a ClientHello of 64 KB.
        let bytes: [UInt8] = [22, 3, 1, 0x40, 0, 1, 0, 0xFF, 0xFF, 3, 3] + [UInt8](repeating: 7, count: 10_000)
        var rest = bytes[...]
        while !rest.isEmpty, server.phase == .handshake {
            server.put(rest.prefix(1_000))
            rest = rest.dropFirst(1_000)
        }
        #expect(server.phase == .failed(.handshakeTooLong(byteCount: 4_096)) && rest.count > 5_000)
    }

    @Test func versionsBefore1_2AreRefusedWithAnAlert() throws {
        // A ClientHello of TLS 1.1 (RFC 4346, section 7.4.1.2) with two of its ciphers.
        let body: [UInt8] = [3, 2] + [UInt8](repeating: 5, count: 32) + [0, 0, 4, 0xC0, 0x13, 0, 0x2F, 1, 0]
        let hello: [UInt8] = [22, 3, 1, 0, UInt8(body.count + 4), 1, 0, 0, UInt8(body.count)] + body
        let server = try JoinedEnds().server
        server.put(hello)
        let failure = try #require(server.failure)
        #expect("\(failure)".contains("TLS 1.2 or later is not offered"), "\(failure)")
        // protocol_version (RFC 8446, section 6.2), fatal.
        #expect(server.output.first == 21 && server.output.suffix(2) == [2, 70])
    }

    @Test func aRecordWithOneBitChangedIsNeverDelivered() throws {
        for index in 0..<Self.request.count + 5 {
            var ends = try JoinedEnds.established()
            ends.exchange()
            ends.client.write(Self.request)
            var record = ends.client.takeOutput()
            record[index] ^= 0x10
            #expect(ends.server.put(record).isEmpty, "\(index)")
            // Where the length has grown, it waits for the rest, which does not help.
            ends.client.write([UInt8](repeating: 1, count: 16_000))
            #expect(ends.server.put(ends.client.takeOutput()).isEmpty)
            guard case .failed(.connection) = ends.server.phase else {
                Issue.record("\(index): \(ends.server.phase)")
                continue
            }
            ends.server.write(Self.request)
        }
    }
}
