import Media
import TestSupport
import Testing

@testable import TLS

/// Tests two connected ends, with their bytes split in all ways.
struct TLSConnectionTests {
    private static let request = Array("DESCRIBE rtsps://localhost/cam RTSP/1.0\r\nCSeq: 1\r\n\r\n".utf8)

    @Test(arguments: [TLSClient.Version.tls1_2, .tls1_3])
    func bothVersionsTransferDataInBothDirections(version: TLSClient.Version) throws {
        var ends = try ConnectedEnds.established(version...version)
        #expect(ends.server.version == (version == .tls1_2 ? "TLSv1.2" : "TLSv1.3"))
        let reply = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        ends.client.write(Self.request)
        ends.server.write(reply)
        #expect(
            ends.server.output.count < reply.count + 8 * 64, "seven records, each with less than 64 bytes of overhead")
        ends.exchange()
        #expect(ends.receivedByServer == Self.request && ends.receivedByClient == reply)
        #expect(ends.server.output.isEmpty && ends.client.output.isEmpty)
    }

    @Test(arguments: [
        (["h2", "http/1.1"], ["http/1.1", "h2"], "h2"), (["h2", "http/1.1"], ["http/1.1"], "http/1.1"),
        (["h2"], ["h3", "h2"], "h2"), (["h2"], [], nil), ([], ["h2"], nil),
    ])
    func theServerChoosesTheApplicationProtocol(accepted: [String], offered: [String], chosen: String?) throws {
        for version in [TLSClient.Version.tls1_2, .tls1_3] {
            var ends = try ConnectedEnds(version...version, protocols: (accepted, offered))
            ends.exchange()
            try #require(ends.server.phase == .established && ends.client.phase == .established)
            #expect(ends.server.applicationProtocol == chosen && ends.client.applicationProtocol == chosen)
        }
    }

    @Test func aClientWithOtherApplicationProtocolsIsRefused() throws {
        var ends = try ConnectedEnds(protocols: (["h2", "http/1.1"], ["imap"]))
        ends.exchange()
        #expect(ends.server.failure == .handshake("no application protocol"))
        #expect(ends.client.failure == .handshake("tlsv1 alert no application protocol"))
    }

    @Test(arguments: [1, 2, 3, 7, 100, 1_000])
    func dataArrivesUnchangedInPiecesOfAnyLength(count: Int) throws {
        for version in [TLSClient.Version.tls1_2, .tls1_3] {
            var ends = try ConnectedEnds(version...version)
            ends.exchange(inPiecesOf: count)
            try #require(ends.server.phase == .established && ends.client.phase == .established)
            ends.client.write(Self.request)
            ends.server.write(Self.request + Self.request)
            ends.exchange(inPiecesOf: count)
            #expect(ends.receivedByServer == Self.request && ends.receivedByClient == Self.request + Self.request)
        }
    }

    @Test func theClientHelloMayBeSplitAnywhere() throws {
        let length = try ConnectedEnds().client.output.count
        for split in 1..<length {
            var ends = try ConnectedEnds()
            let hello = ends.client.takeOutput()
            ends.server.receive(hello.prefix(split))
            #expect(ends.server.phase == .handshake && ends.server.output.isEmpty, "\(split)")
            ends.server.receive(hello.dropFirst(split))
            ends.exchange()
            #expect(ends.server.phase == .established, "\(split)")
        }
    }

    @Test func aRecordMayBeSplitAnywhere() throws {
        var ends = try ConnectedEnds.established()
        for split in 0...Self.request.count + 22 {
            ends.client.write(Self.request)
            let record = ends.client.takeOutput()
            let first = ends.server.receive(record.prefix(split))
            #expect(first.isEmpty || split == record.count)
            #expect(first + ends.server.receive(record.dropFirst(split)) == Self.request, "\(split)")
        }
        ends.exchange()
        #expect(ends.server.phase == .established)
    }

    @Test func nothingIsWrittenBeforeTheHandshakeIsComplete() throws {
        var ends = try ConnectedEnds()
        ends.server.write(Self.request)
        ends.server.close()
        #expect(ends.server.output.isEmpty)
        ends.exchange()
        #expect(ends.receivedByClient.isEmpty && ends.client.phase == .established)
    }

    @Test(arguments: [TLSClient.Version.tls1_2, .tls1_3])
    func aPeerThatHasClosedItsDirectionStillReceivesData(version: TLSClient.Version) throws {
        var ends = try ConnectedEnds.established(version...version)
        ends.client.write(Self.request)
        ends.client.close()
        #expect(ends.server.receive(ends.client.takeOutput()) == Self.request)
        #expect(ends.server.phase == .ended && ends.server.failure == nil)
        ends.server.write([1, 2, 3])
        ends.server.close()
        #expect(!ends.server.output.isEmpty)
        ends.exchange()
        #expect(version == .tls1_2 || ends.receivedByClient == [1, 2, 3])
    }

    // MARK: - Invalid and damaged input

    @Test(arguments: ["OPTIONS rtsp://localhost/cam RTSP/1.0\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "options", "z"])
    func plainTextIsReportedAsPlainText(text: String) throws {
        let server = try ConnectedEnds().server
        #expect(server.receive(text.utf8).isEmpty)
        #expect(server.phase == .failed(.plainText) && server.output.isEmpty && server.nextDeadline == nil)
        #expect("\(TLSFailure.plainText)".contains("rtsps://"))
    }

    @Test(arguments: [UInt8(0), 0x14, 0x15, 0x17, 0x24, 0x80, 0xFF])
    func aWrongFirstByteIsReportedAsNoHandshake(first: UInt8) throws {
        let server = try ConnectedEnds().server
        server.receive([first] + [UInt8](repeating: 3, count: 200))
        #expect(server.phase == .failed(.notTLS(firstByte: first)) && server.output.isEmpty)
    }

    @Test func randomBytesFailWithLittleOutput() throws {
        var numbers = SplitMix64(seed: 8322)
        for _ in 0..<2_000 {
            let server = try ConnectedEnds().server
            // Half of the inputs begin like a handshake.
            var bytes: [UInt8] = numbers.next() % 2 == 0 ? [22] : [22, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3]
            bytes += (0..<300).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
            #expect(server.receive(bytes).isEmpty)
            #expect(server.phase != .established && server.output.count < 200)
        }
    }

    @Test func anIncompleteHandshakeFailsAtItsDeadline() throws {
        let hello = try ConnectedEnds().client.takeOutput()
        for length in [0, 1, 5, 6, hello.count - 1] {
            let server = try ConnectedEnds().server
            server.receive(hello.prefix(length))
            let due = try #require(server.nextDeadline)
            #expect(due == ConnectedEnds.start.advanced(byMilliseconds: 10_000))
            server.deadlinePassed(at: due.advanced(byMilliseconds: -1))
            #expect(server.phase == .handshake)
            server.deadlinePassed(at: due)
            #expect(server.phase == .failed(.handshakeTooSlow(seconds: 10)) && server.nextDeadline == nil)
            #expect(server.receive(hello.dropFirst(length)).isEmpty && server.output.isEmpty)
        }
        #expect(try ConnectedEnds.established().server.nextDeadline == nil)
    }

    @Test func aHandshakeIsLimitedInLength() throws {
        var limits = TLSConnection.HandshakeLimits()
        limits.byteCount = 4_096
        let server = try ConnectedEnds(limits: limits).server
        // A record of 16 KB that begins a ClientHello of 64 KB.
        let bytes: [UInt8] = [22, 3, 1, 0x40, 0, 1, 0, 0xFF, 0xFF, 3, 3] + [UInt8](repeating: 7, count: 10_000)
        var rest = bytes[...]
        while !rest.isEmpty, server.phase == .handshake {
            server.receive(rest.prefix(1_000))
            rest = rest.dropFirst(1_000)
        }
        #expect(server.phase == .failed(.handshakeTooLong(byteCount: 4_096)) && rest.count > 5_000)
    }

    @Test func versionsBefore1_2AreRefusedWithAnAlert() throws {
        // A ClientHello of TLS 1.1 (RFC 4346, section 7.4.1.2) with two cipher suites.
        let body: [UInt8] = [3, 2] + [UInt8](repeating: 5, count: 32) + [0, 0, 4, 0xC0, 0x13, 0, 0x2F, 1, 0]
        let hello: [UInt8] = [22, 3, 1, 0, UInt8(body.count + 4), 1, 0, 0, UInt8(body.count)] + body
        let server = try ConnectedEnds().server
        server.receive(hello)
        let failure = try #require(server.failure)
        #expect("\(failure)".contains("TLS 1.2 or later is not offered"), "\(failure)")
        // The fatal alert protocol_version (RFC 8446, section 6.2).
        #expect(server.output.first == 21 && server.output.suffix(2) == [2, 70])
    }

    @Test func aRecordWithAChangedBitIsNeverDelivered() throws {
        for index in 0..<Self.request.count + 5 {
            var ends = try ConnectedEnds.established()
            ends.exchange()
            ends.client.write(Self.request)
            var record = ends.client.takeOutput()
            record[index] ^= 0x10
            #expect(ends.server.receive(record).isEmpty, "\(index)")
            // If the record length has grown, the receiver waits for more bytes, which never come.
            ends.client.write([UInt8](repeating: 1, count: 16_000))
            #expect(ends.server.receive(ends.client.takeOutput()).isEmpty)
            guard case .failed(.connection) = ends.server.phase else {
                Issue.record("\(index): \(ends.server.phase)")
                continue
            }
            ends.server.write(Self.request)
        }
    }
}
