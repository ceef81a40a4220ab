import Media
import Testing

@testable import TLS

struct DTLSConnectionTests {
    let server: DTLSIdentity
    let client: DTLSIdentity
    /// OpenSSL reads the clock itself, so these tests run in real time.
    let start = MonotonicTime.now()

    init() throws {
        server = try DTLSIdentity(SelfSignedCertificate(for: [.host("server")], days: 30))
        client = try DTLSIdentity(SelfSignedCertificate(for: [.host("client")], days: 30))
    }

    /// Both ends of a connection.
    struct Ends {
        let client: DTLSConnection
        let server: DTLSConnection

        var isUnderWay: Bool { client.phase == .handshake || server.phase == .handshake }

        var isEstablished: Bool {
            guard case .established(let keys) = client.phase else { return false }
            return server.phase == .established(keys)
        }

        /// Passes datagrams in both directions until none is left; those with a number in `lost` do not arrive.
        @discardableResult
        func exchange(losing lost: Set<Int> = [], from first: Int = 0, at now: MonotonicTime) -> Int {
            var number = first
            while true {
                let sent = pass(client, to: server, &number, lost, now) + pass(server, to: client, &number, lost, now)
                if sent == 0 { return number }
            }
        }

        private func pass(
            _ from: DTLSConnection, to: DTLSConnection, _ number: inout Int, _ lost: Set<Int>, _ now: MonotonicTime
        ) -> Int {
            var datagrams: [[UInt8]] = []
            from.takeOutput { datagrams.append([UInt8]($0)) }
            for datagram in datagrams {
                #expect(datagram.count <= 1_200)
                defer { number += 1 }
                if !lost.contains(number) { to.received(datagram.span.bytes, at: now) }
            }
            return datagrams.count
        }
    }

    func ends(expecting fingerprint: [UInt8]? = nil) throws -> Ends {
        Ends(
            client: try DTLSConnection(.client, as: client, peerFingerprint: server.fingerprint, at: start),
            server: try DTLSConnection(
                .server, as: server, peerFingerprint: fingerprint ?? client.fingerprint, at: start))
    }

    @Test func bothEndsHaveTheSameKeys() throws {
        let ends = try ends()
        ends.exchange(at: start)
        guard case .established(let keys) = ends.server.phase else {
            Issue.record("\(ends.server.phase)")
            return
        }
        #expect(ends.client.phase == .established(keys))
        #expect(keys.profile == .gcm)
        #expect(keys.client.count == 28)
        #expect(keys.client != keys.server)
        #expect(ends.server.nextDeadline == nil)
    }

    @Test func aPeerWithAForeignCertificateIsRefused() throws {
        let ends = try ends(expecting: server.fingerprint)
        ends.exchange(at: start)
        guard case .failed(.untrusted) = ends.server.phase else {
            Issue.record("\(ends.server.phase)")
            return
        }
    }

    @Test(arguments: 0..<6) func aLostDatagramIsSentAgain(_ lost: Int) throws {
        let ends = try ends()
        var number = ends.exchange(losing: [lost], at: start)
        while ends.isUnderWay {
            let now = MonotonicTime.now()
            for connection in [ends.client, ends.server] { connection.deadlinePassed(at: now) }
            number = ends.exchange(from: number, at: now)
        }
        #expect(ends.isEstablished)
    }

    @Test func aHandshakeThatIsNotAnsweredFails() throws {
        let connection = try DTLSConnection(.client, as: client, peerFingerprint: server.fingerprint, at: start)
        connection.deadlinePassed(at: start + 10_000_000_000)
        #expect(connection.phase == .failed(.handshakeTooSlow(seconds: 10)))
    }

    @Test func aPeerThatClosesEndsTheConnection() throws {
        let ends = try ends()
        ends.exchange(at: start)
        ends.client.close()
        ends.exchange(at: start)
        #expect(ends.server.phase == .ended)
    }

    @Test func aFloodOfFragmentsFailsTheHandshake() throws {
        let connection = try DTLSConnection(.server, as: server, peerFingerprint: client.fingerprint, at: start)
        let garbage = [UInt8](repeating: 22, count: 1_000)
        for _ in 0..<40 { connection.received(garbage.span.bytes, at: start) }
        #expect(connection.phase == .failed(.handshakeTooLong(byteCount: 32_768)))
    }
}
