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
    /// A key for tests. Key and salt have the lengths of the suite, so it exists.
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

/// The client's end of a protected track.
private struct ProtectedReceiver {
    let key: MasterKey
    private let cipher: Cipher
    private let reports: IncomingReports

    init(_ suite: CipherSuite, identifier: [UInt8] = []) throws {
        key = .fixture(suite, identifier: identifier)
        cipher = try Cipher(SessionKeys(of: key, for: .rtp), suite, .opens)
        reports = try IncomingReports(key)
    }

    /// Decrypts the packet with index `number`.
    func decrypted(_ bytes: [UInt8], number: UInt64) -> Packet? {
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

    func opened(report: [UInt8]) -> [UInt8]? {
        guard let plain = reports.opened(report.rawSpan) else { return nil }
        return [UInt8](plain)
    }

    /// Decrypts all packets, numbered from the fixture's first index, a few before the sequence numbers wrap.
    func decrypted(_ packets: [[UInt8]]) -> [Packet] {
        let first = UInt64(HeaderRewriter.fixture.nextSequenceNumber.rawValue)
        return packets.enumerated().compactMap { decrypted($1, number: first + UInt64($0)) }
    }
}

/// With the key, protected viewers receive the same as others.
@Suite(.serialized)
struct SRTPDeliveryTests {
    private static let identifiers: [[UInt8]] = [[], [1, 2, 3, 4]]

    @Test(arguments: [true, false], [HeaderRewriter.fixture, .sendingCaptureTime])
    func everyDatagramDecryptsToWhatOtherViewersGet(usesGSO: Bool, rewriter: HeaderRewriter) throws {
        for (suite, identifier) in zip(CipherSuite.allCases, Self.identifiers) {
            let broadcast = Broadcast()
            let recipient = try ProtectedReceiver(suite, identifier: identifier)
            let protection = try TrackProtection.fixture(suite, identifier: identifier)
            var client = try UDPClient(usesGSO: usesGSO, rewriter: rewriter, protection: protection)
            var other = try UDPClient(usesGSO: usesGSO, rewriter: rewriter)
            broadcast.publish(idr: true, byteCount: 9_000)
            #expect(broadcast.start(client.viewer) && broadcast.start(other.viewer))
            for byteCount in [700, 5_000, 50_000, 70_000] {
                broadcast.publish(byteCount: byteCount)
                broadcast.turn(after: 40)
            }
            let (sent, plain) = (client.packetBytes(), other.packetBytes())
            #expect(sent.count == plain.count && sent.count > 60)
            #expect(zip(sent, plain).allSatisfy { $0.count == $1.count + protection.outgoing.overhead })
            let decrypted = recipient.decrypted(sent)
            #expect(decrypted.count == sent.count, "\(suite)")
            #expect(decrypted.map(\.payload) == plain.compactMap { Packet($0)?.payload })
            #expect(decrypted.map(\.header) == plain.compactMap { Packet($0)?.header })
        }
    }

    @Test func aRefusedPacketIsSentAgainUnderItsNumber() throws {
        let broadcast = Broadcast()
        let recipient = try ProtectedReceiver(.counterMode)
        var client = try UDPClient(usesGSO: true, protection: .fixture(.counterMode))
        let viewer = client.viewer
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.start(viewer))
        broadcast.turn(after: 40)
        broadcast.publish(byteCount: 9_000)
        let audience = try #require(broadcast.delivery.audience(of: viewer))
        audience.feed.update(&audience.view.reader)
        let index = viewer.tracks[0]?.packetIndex
        let transmitter = Transmitter(policy: SlowViewerPolicy())
        transmitter.begin(at: broadcast.now)
        viewer.follower.resumed()
        transmitter.serve(viewer, in: audience.view)
        #expect(viewer.tracks[0]?.packetIndex == index.map { $0 + 7 })
        transmitter.rollBack(client.ports.shared.batch.rollBack())
        #expect(viewer.tracks[0]?.packetIndex == index)
        broadcast.turn(after: 1)
        let sent = client.packetBytes()
        #expect(sent.count == 9 && recipient.decrypted(sent).count == 9)
    }

    @Test func aRefusedGSOBatchIsSentAsEncryptedPackets() throws {
        let broadcast = Broadcast()
        let recipient = try ProtectedReceiver(.gcm)
        var client = try UDPClient(usesGSO: true, protection: .fixture(.gcm))
        // Without checksums the kernel refuses GSO (EINVAL); the option exists for IPv4 only.
        var isOn: Int32 = 1
        setsockopt(client.ports.pair.rtp.fd, SOL_SOCKET, SO_NO_CHECK, &isOn, socklen_t(MemoryLayout<Int32>.size))
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.start(client.viewer))
        for _ in 0..<3 {
            broadcast.publish(byteCount: 9_000)
            broadcast.turn(after: 40)
        }
        let sent = client.packetBytes()
        #expect(sent.count == 23 && recipient.decrypted(sent).count == 23)
        let octets = recipient.decrypted(sent).reduce(0) { $0 + $1.payload.count }
        #expect(client.viewer.tracks[0]?.octetCount == UInt32(octets), "reports count unencrypted payloads")
    }

    @Test(arguments: CipherSuite.allCases)
    func reportsAndByesAreProtectedToo(suite: CipherSuite) throws {
        let broadcast = Broadcast()
        let recipient = try ProtectedReceiver(suite)
        var client = try UDPClient(usesGSO: true, protection: .fixture(suite))
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.start(client.viewer))
        broadcast.delivery.end(client.viewer, at: broadcast.now)
        let reports = client.reportBytes()
        #expect(reports.count == 2)
        let decrypted = reports.compactMap { recipient.opened(report: $0) }
        #expect(decrypted.count == 2 && decrypted.allSatisfy { (try? Compound(parsing: $0.rawSpan)) != nil })
        #expect(decrypted.map { $0[1] } == [200, 201] && decrypted.last?.suffix(8).first == 0x81, "the last says BYE")
    }

    @Test func interleavedPacketsAreEncryptedInsideTheirFraming() throws {
        let broadcast = Broadcast()
        let recipient = try ProtectedReceiver(.counterMode)
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
        #expect(recipient.decrypted(packets).count == packets.count)
    }
}
