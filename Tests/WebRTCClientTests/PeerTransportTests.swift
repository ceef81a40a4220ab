import Media
import TLS
import Testing
import WebRTC

@testable import WebRTCClient

/// Why a transport fails, in virtual time.
struct PeerTransportTests {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000)

    private func transport() throws -> PeerTransport {
        PeerTransport(
            as: try DTLSIdentity(SelfSignedCertificate(for: [.host("peer")], days: 30)),
            ICECredentials(random: [UInt8](repeating: 4, count: ICECredentials.randomByteCount)),
            to: .init(try ReceivedAnswer(parsing: Array(Samples.answer().utf8)), candidateCount: 1), at: start)
    }

    @Test func aSilentCandidateIsReportedWithItsAddress() throws {
        let transport = try transport()
        var (now, checkCount) = (start, 0)
        while transport.nextDeadline != .distantFuture {
            now = transport.nextDeadline
            transport.deadlinePassed(at: now)
            transport.takeOutput { _, _ in checkCount += 1 }
        }
        #expect(now == start.advanced(byMilliseconds: 5_000) && checkCount == 7)
        guard case .failed(let failure) = transport.phase else { throw Unexpected() }
        #expect(
            PlaybackFailure(failure, of: ["192.0.2.1:9"]).description
                == "no connectivity check was answered within 5 s by 192.0.2.1:9; UDP may be blocked")
    }

    private struct Unexpected: Error {}

    @Test func aHandshakeThatCannotBeginIsReportedWithItsReason() {
        let failure = PlaybackFailure(.identity(.noLibrary("libssl.so.3: cannot open")), of: [])
        #expect(failure.description == "TLS needs OpenSSL (the package libssl3): libssl.so.3: cannot open")
    }
}
