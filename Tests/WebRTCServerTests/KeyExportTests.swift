import Glibc
import Media
import RTP
import SRTP
import TestSupport
import Testing

@testable import TLS

/// The way of the keys from a DTLS handshake to SRTP, for each profile and both roles.
struct KeyExportTests {
    private let server: DTLSIdentity
    private let client: DTLSIdentity

    init() throws {
        server = try DTLSIdentity(SelfSignedCertificate(for: [.host("server")], days: 30))
        client = try DTLSIdentity(SelfSignedCertificate(for: [.host("client")], days: 30))
    }

    /// Which end has counter mode alone; the other one would prefer GCM.
    enum CounterModeAlone: CaseIterable {
        case neither, client, server, both
    }

    @Test(arguments: CounterModeAlone.allCases)
    func whatOneEndProtectsTheOtherOpens(_ restriction: CounterModeAlone) throws {
        if [.client, .both].contains(restriction) { try client.restrictToCounterMode() }
        if [.server, .both].contains(restriction) { try server.restrictToCounterMode() }
        let keys = try keys()
        #expect(keys.client.own.suite == (restriction == .neither ? .gcm : .counterMode))
        for (sender, receiver) in [(keys.client, keys.server), (keys.server, keys.client)] {
            #expect(sender.own == receiver.peer && sender.own != sender.peer)
            let incoming = try IncomingProtection(SenderKey(receiver.peer))
            // The rollover counter is part of the index.
            for index: UInt64 in [65_535, 65_536, 65_537] {
                let payload = [UInt8](repeating: UInt8(index & 0xFF), count: 100)
                let packet = try sealed(payload, by: sender.own, index: index)
                #expect(!packet.protected.contains(payload), "it is encrypted")
                #expect(opened(packet.protected, by: incoming) == packet.header + payload)
            }
            let report = Compound(report: ReceiverReport(ssrc: SSRC(77)), canonicalName: "peer").encoded()
            let protected = try #require(try OutgoingReports(sender.own).sealed(report))
            #expect(opened(protected, by: incoming) == report)
            // Each direction has a key of its own.
            let other = try IncomingProtection(SenderKey(sender.peer))
            let packet = try sealed([1, 2, 3], by: sender.own, index: 5)
            #expect(opened(packet.protected, by: other) == nil && other.failureCount == 1)
        }
    }

    /// Both keys come before both salts (RFC 5764, section 4.2).
    @Test func theMaterialIsDividedInTheOrderOfTheSpecification() {
        let counterMode = DTLSKeys(.counterMode, material: Array(0..<60))
        #expect(DTLSKeys.byteCount(.counterMode) == 60)
        #expect(counterMode.client == Array(0..<16) + Array(32..<46))
        #expect(counterMode.server == Array(16..<32) + Array(46..<60))
        let gcm = DTLSKeys(.gcm, material: Array(0..<56))
        #expect(DTLSKeys.byteCount(.gcm) == 56)
        #expect(gcm.client == Array(0..<16) + Array(32..<44))
        #expect(gcm.server == Array(16..<32) + Array(44..<56))
    }

    /// The keys of both ends after a handshake.
    private func keys() throws -> (client: TransportKeys, server: TransportKeys) {
        let now = MonotonicTime.now()
        let ends = (
            client: try DTLSConnection(.client, as: client, peerFingerprint: server.fingerprint, at: now),
            server: try DTLSConnection(.server, as: server, peerFingerprint: client.fingerprint, at: now)
        )
        for (from, to) in repeatElement([(ends.client, ends.server), (ends.server, ends.client)], count: 8).joined() {
            var datagrams: [[UInt8]] = []
            from.takeOutput { datagrams.append([UInt8]($0)) }
            for datagram in datagrams { to.received(datagram.span.bytes, at: now) }
        }
        guard case .established(let client) = ends.client.phase, case .established(let server) = ends.server.phase
        else { throw NoHandshake(description: "\(ends.client.phase), \(ends.server.phase)") }
        return (
            try #require(TransportKeys(client, as: .client)), try #require(TransportKeys(server, as: .server))
        )
    }

    private struct NoHandshake: Error, CustomStringConvertible { let description: String }

    private func opened(_ datagram: [UInt8], by incoming: IncomingProtection) -> [UInt8]? {
        guard let plain = incoming.opened(datagram.span.bytes) else { return nil }
        return [UInt8](plain)
    }

    /// An RTP packet with the source 77.
    private func sealed(
        _ payload: [UInt8], by key: MasterKey, index: UInt64
    ) throws -> (header: [UInt8], protected: [UInt8]) {
        let header: [UInt8] = [
            0x80, 96, UInt8(truncatingIfNeeded: index >> 8), UInt8(truncatingIfNeeded: index), 0, 0, 0, 9, 0, 0, 0, 77,
        ]
        return (header, try OutgoingProtection(key, ssrc: 77).sealed(payload, header: header, index: index))
    }
}

extension DTLSIdentity {
    /// Leaves only `SRTP_AES128_CM_SHA1_80`, as a peer without GCM does. The server has no such option.
    fileprivate func restrictToCounterMode() throws {
        typealias UseSRTP = @convention(c) (UnsafeMutableRawPointer, UnsafePointer<CChar>) -> CInt
        // The library is loaded already.
        let library = try #require(dlopen("libssl.so.3", RTLD_NOW | RTLD_NOLOAD))
        let symbol = try #require(dlsym(library, "SSL_CTX_set_tlsext_use_srtp"))
        // The context of COpenSSL begins with OpenSSL's own.
        let context = UnsafeRawPointer(self.context).load(as: UnsafeMutableRawPointer.self)
        let result = unsafeBitCast(symbol, to: UseSRTP.self)(context, "SRTP_AES128_CM_SHA1_80")
        try #require(result == 0)
    }
}
