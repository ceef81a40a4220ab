import RTSP
import RTSPClient
import Reactor
import Streams
import Testing

@testable import Server

/// What the source of a pulled stream makes of the end of a pull.
struct PulledSourceTests {
    private static func refused(_ status: Int, retrySeconds: Int? = nil) -> RTSPPullEnd {
        .session(.closed(.refused(.setUp, StatusCode(status)!, reason: "No", retrySeconds: retrySeconds)))
    }

    private let pulling = RTSPPulling(
        url: RequestURL("rtsp://192.0.2.1/cam")!, settings: .init(), trust: .auto, loops: RTSPPullLoops())

    /// What overflows a publisher's socket would overflow a camera's.
    @Test func aCameraHasTheReceiveBufferOfAPublisher() throws {
        let plans = try pulling.plans()
        #expect(plans.map(\.session.transport) == [.tcp, .udp])
        #expect(plans.allSatisfy { $0.session.datagramBufferByteCount == UDPSocket.requestedBufferByteCount })
    }

    @Test func anotherTransportIsTriedIfThisOneCannotWork() {
        let ends: [(RTSPPullEnd, Bool)] = [
            (Self.refused(461), true), (.session(.closed(.otherTransport)), true),
            (.silence(seconds: 3, hadMedia: false), true), (.silence(seconds: 10, hadMedia: true), false),
            (Self.refused(404), false), (.session(.connection(.unknownHost("cam"))), false),
        ]
        for (end, isTried) in ends { #expect(pulling.needsOtherWay(after: end) == isTried, "\(end)") }
    }

    /// Cameras lock accounts, and an overloaded server says when it can be asked again.
    @Test func thePauseFollowsTheAnswer() {
        let ends: [(RTSPPullEnd, Int64)] = [
            (Self.refused(503), 0), (Self.refused(503, retrySeconds: 30), 30_000), (Self.refused(404), 10_000),
            (Self.refused(404, retrySeconds: 60), 60_000), (Self.refused(503, retrySeconds: 999_999_999), 600_000),
            (.session(.closed(.wrongPassword(.describe))), 10_000), (.silence(seconds: 10, hadMedia: true), 0),
        ]
        for (end, milliseconds) in ends {
            #expect(pulling.failure(end).leastPauseMilliseconds == milliseconds, "\(end)")
        }
    }
}
