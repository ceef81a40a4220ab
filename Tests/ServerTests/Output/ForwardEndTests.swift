import Connecting
import RTSP
import RTSPClient
import TLS
import Testing

@testable import Server

struct ForwardEndTests {
    @Test(
        arguments: [
            (StatusCode.forbidden, nil, 10_000), (.notFound, nil, 10_000), (.unauthorized, nil, 10_000),
            (.serviceUnavailable, nil, 0), (.serviceUnavailable, 30, 30_000), (.forbidden, 3, 10_000),
            (.notEnoughBandwidth, 1_000_000, 600_000),
        ] as [(StatusCode, Int?, Int64)])
    func refusalsDecideThePause(_ status: StatusCode, _ retrySeconds: Int?, _ expected: Int64) {
        let reason = ClientCloseReason.refused(.announce, status, reason: "No", retrySeconds: retrySeconds)
        #expect(ForwardEnd(.failed(SessionFailure(ClientSessionEnd.closed(reason)))).leastPauseMilliseconds == expected)
    }

    @Test func anUntrustedCertificateIsNotTriedAgainAndAgain() {
        let untrusted = ConnectionFailure.insecure(.untrusted("self-signed certificate", fingerprint: [1]))
        #expect(ForwardEnd(.failed(SessionFailure(untrusted))).leastPauseMilliseconds == 10_000)
    }
}
