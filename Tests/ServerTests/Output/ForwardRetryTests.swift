import Media
import RTSP
import RTSPClient
import TLS
import Testing

@testable import Server

struct ForwardRetryTests {
    private static let now = MonotonicTime(nanoseconds: 0)

    private func pause(
        after cause: ForwardEnd.Cause, _ refusal: PublishingConnection.Refusal? = nil, _ retry: inout ForwardRetry,
        jitter: Double = 0
    ) -> Int64 {
        retry.ended(ForwardEnd(cause, refusal: refusal), startedAt: Self.now, at: Self.now, jitter: jitter)
            .pauseMilliseconds
    }

    @Test func pausesDoubleAndHaveJitter() {
        var retry = ForwardRetry()
        let gone = ForwardEnd.Cause.session(.closed(.endedByServer))
        let pauses = [0, 0.25, -0.25, 0, 0, 0, 0.25, -0.25].map { pause(after: gone, nil, &retry, jitter: $0) }
        #expect(pauses == [250, 625, 750, 2_000, 4_000, 8_000, 12_500, 7_500])
    }

    @Test(
        arguments: [
            (StatusCode.forbidden, nil, 10_000), (.notFound, nil, 10_000), (.unauthorized, nil, 10_000),
            (.serviceUnavailable, nil, 250), (.serviceUnavailable, 30, 30_000), (.forbidden, 3, 10_000),
            (.notEnoughBandwidth, 1_000_000, 600_000),
        ] as [(StatusCode, Int?, Int64)])
    func refusalsDecideThePause(_ status: StatusCode, _ retrySeconds: Int?, _ expected: Int64) {
        var retry = ForwardRetry()
        let refused = ForwardEnd.Cause.session(.closed(.refused(.announce, status, reason: "No")))
        let pause = pause(
            after: refused, PublishingConnection.Refusal(status: status, retrySeconds: retrySeconds), &retry)
        #expect(pause == expected)
    }

    @Test func anUntrustedCertificateIsNotTriedAgainAndAgain() {
        var retry = ForwardRetry()
        let untrusted = ForwardEnd.Cause.session(.insecure(.untrusted("self-signed certificate", fingerprint: [1])))
        #expect(pause(after: untrusted, nil, &retry) == 10_000)
    }
}
