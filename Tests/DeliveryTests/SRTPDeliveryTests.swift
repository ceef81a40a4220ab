import CLinux
import Media
import RTP
import Reactor
import Streams
import Testing
import Wire

@testable import Delivery
@testable import SRTP

extension MasterKey {
    /// Key and salt are as long as the suite's, so there is one.
    static func fixture(_ suite: CipherSuite, identifier: [UInt8] = []) -> MasterKey {
        MasterKey(suite, material: (0..<(16 + suite.saltByteCount)).map { UInt8($0) }, identifier: identifier)!
    }
}

extension TrackProtection {
    static func fixture(_ suite: CipherSuite, identifier: [UInt8] = []) throws -> TrackProtection {
        let key = MasterKey.fixture(suite, identifier: identifier)
        return try TrackProtection(own: key, ssrc: HeaderRewriter.fixture.ssrc.rawValue, peer: key)
    }
}

/// A client's end of a protected track.
private struct Recipient {
    let key: MasterKey
    private let cipher: Cipher
    let reports: IncomingProtection

    init(_ suite: CipherSuite, identifier: [UInt8] = []) throws {
        key = .fixture(suite, identifier: identifier)
        cipher = try Cipher(SessionKeys(of: key, for: .packets), suite, .opens)
        reports = try IncomingProtection(key)
    }

    /// The packet `number` of a source, as it was before it was protected.
    func opened(_ bytes: [UInt8], number: UInt64) -> Packet? {
        guard let (header, payload) = Header.parse(bytes.rawSpan) else { return nil }
        let (tag, count) = (key.suite.tagByteCount, bytes.count - payload.lowerBound)
        let byteCount = count - tag - key.identifier.count
        guard byteCount > 0, header.sequenceNumber.rawValue == UInt16(truncatingIfNeeded: number) else { return nil }
        let end = payload.lowerBound + byteCount
        let tagPlace = key.suite == .gcm ? end : end + key.identifier.count
        var rollover = UInt32(number >> 16).bigEndian
        var plain = [UInt8](repeating: 0, count: byteCount)
        let isTheirs = bytes.withUnsafeBytes { bytes in
            withUnsafeBytes(of: &rollover) { rollover in
                plain.withUnsafeMutableBytes { plain in
                    cipher.open(
                        UnsafeRawBufferPointer(rebasing: bytes[payload.lowerBound..<end]),
                        tag: UnsafeRawBufferPointer(rebasing: bytes[tagPlace..<(tagPlace + tag)]), index: number,
                        ssrc: header.ssrc.rawValue,
                        header: UnsafeRawBufferPointer(rebasing: bytes[..<payload.lowerBound]),
                        trailer: UnsafeRawBufferPointer(rebasing: rollover.prefix(key.suite == .gcm ? 0 : 4)),
                        to: plain.baseAddress!)
                }
            }
        }
        return isTheirs ? Packet(Array(bytes[..<payload.lowerBound]) + plain) : nil
    }

    /// All of them, numbered from the fixture's first on, which is a few before the sequence numbers wrap.
    func opened(_ packets: [[UInt8]]) -> [Packet] {
        let first = UInt64(HeaderRewriter.fixture.nextSequenceNumber.rawValue)
        return packets.enumerated().compactMap { opened($1, number: first + UInt64($0)) }
    }
}

/// What protected viewers are sent is what others are, for who has the key.
@Suite(.serialized)
struct SRTPDeliveryTests {
    private static let identifiers: [[UInt8]] = [[], [1, 2, 3, 4]]

    @Test(arguments: [true, false], [HeaderRewriter.fixture, .sendingCaptureTime])
    func everyDatagramIsOpenedToWhatOthersAreSent(usesGSO: Bool, rewriter: HeaderRewriter) throws {
        for (suite, identifier) in zip(CipherSuite.allCases, Self.identifiers) {
            let broadcast = Broadcast()
            let recipient = try Recipient(suite, identifier: identifier)
            let protection = try TrackProtection.fixture(suite, identifier: identifier)
            var client = try UDPClient(usesGSO: usesGSO, rewriter: rewriter, protection: protection)
            var other = try UDPClient(usesGSO: usesGSO, id: 2, rewriter: rewriter)
            broadcast.publish(idr: true, byteCount: 9_000)
            #expect(broadcast.start(client.viewer) && broadcast.start(other.viewer))
            for byteCount in [700, 5_000, 50_000, 70_000] {
                broadcast.publish(byteCount: byteCount)
                broadcast.turn(after: 40)
            }
            let (sent, plain) = (client.packetBytes(), other.packetBytes())
            #expect(sent.count == plain.count && sent.count > 60)
            #expect(zip(sent, plain).allSatisfy { $0.count == $1.count + protection.outgoing.overhead })
            let opened = recipient.opened(sent)
            #expect(opened.count == sent.count, "\(suite)")
            #expect(opened.map(\.payload) == plain.compactMap { Packet($0)?.payload })
            #expect(opened.map(\.header) == plain.compactMap { Packet($0)?.header })
        }
    }

    @Test func whatTheKernelDoesNotTakeIsSentAgainUnderItsNumber() throws {
        let broadcast = Broadcast()
        let recipient = try Recipient(.counterMode)
        var client = try UDPClient(usesGSO: true, protection: .fixture(.counterMode))
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.start(client.viewer))
        broadcast.turn(after: 40)
        broadcast.publish(byteCount: 9_000)
        let audience = try #require(client.viewer.audience)
        audience.feed.update(&audience.reader)
        let index = client.viewer.tracks[0]?.packetIndex
        let transmitter = Transmitter(policy: SlowViewerPolicy())
        transmitter.begin(at: broadcast.now)
        client.viewer.isAwaitingKeyframe = false
        transmitter.serve(client.viewer, of: audience)
        #expect(client.viewer.tracks[0]?.packetIndex == index.map { $0 + 7 })
        client.ports.shared.batch.rollBack(&transmitter.statistics)
        #expect(client.viewer.tracks[0]?.packetIndex == index)
        broadcast.turn(after: 1)
        let sent = client.packetBytes()
        #expect(sent.count == 9 && recipient.opened(sent).count == 9)
    }

    @Test func aTrainThatIsRefusedLeavesAsEncryptedPackets() throws {
        let broadcast = Broadcast()
        let recipient = try Recipient(.gcm)
        var client = try UDPClient(usesGSO: true, protection: .fixture(.gcm))
        // Without checksums the kernel cuts no trains (EINVAL); the option is IPv4's alone.
        var isOn: Int32 = 1
        setsockopt(client.ports.pair.rtp.fd, SOL_SOCKET, SO_NO_CHECK, &isOn, socklen_t(MemoryLayout<Int32>.size))
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.start(client.viewer))
        for _ in 0..<3 {
            broadcast.publish(byteCount: 9_000)
            broadcast.turn(after: 40)
        }
        let sent = client.packetBytes()
        #expect(sent.count == 23 && recipient.opened(sent).count == 23)
        let octets = recipient.opened(sent).reduce(0) { $0 + $1.payload.count }
        #expect(client.viewer.tracks[0]?.octetCount == UInt32(octets), "reports count payloads as they were")
    }

    @Test(arguments: CipherSuite.allCases)
    func reportsAndGoodbyesAreProtectedToo(suite: CipherSuite) throws {
        let broadcast = Broadcast()
        let recipient = try Recipient(suite)
        var client = try UDPClient(usesGSO: true, protection: .fixture(suite))
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.start(client.viewer))
        broadcast.delivery.end(client.viewer, at: broadcast.now)
        let reports = client.reportBytes()
        #expect(reports.count == 2)
        let opened = reports.compactMap { recipient.reports.opened(report: $0.rawSpan) }
        #expect(opened.count == 2 && opened.allSatisfy { (try? Compound(parsing: $0.rawSpan)) != nil })
        #expect(opened.map { $0[1] } == [200, 201] && opened.last?.suffix(8).first == 0x81, "the last says BYE")
    }

    @Test func interleavedPacketsAreEncryptedInTheirFrames() throws {
        let broadcast = Broadcast()
        let recipient = try Recipient(.counterMode)
        let client = try TCPClient(sendBufferByteCount: 1 << 20, protection: .fixture(.counterMode))
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.start(client.viewer))
        var bytes = client.read()[...]
        for _ in 0..<5 {
            broadcast.publish(byteCount: 40_000)
            broadcast.turn(after: 40)
            bytes += client.read()
        }
        var packets: [[UInt8]] = []
        while bytes.count >= 4, bytes.first == 0x24 {
            let (start, count) = (
                bytes.startIndex, Int(bytes[bytes.startIndex + 2]) << 8 | Int(bytes[bytes.startIndex + 3])
            )
            if bytes[start + 1] == 0 { packets.append(Array(bytes[(start + 4)..<(start + 4 + count)])) }
            bytes = bytes[(start + 4 + count)...]
        }
        #expect(bytes.isEmpty && packets.count == 2 + 5 * 29)
        #expect(recipient.opened(packets).count == packets.count)
    }
}
