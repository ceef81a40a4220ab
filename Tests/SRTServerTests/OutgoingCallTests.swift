import Connecting
import Reactor
import SRT
import Synchronization
import TestSupport
import Testing

@testable import SRTClient
@testable import SRTServer

/// Calls to a name with two addresses, without connections.
struct OutgoingCallTests {
    private let lines = LoggedLines()

    /// Calls that end one after the other for these reasons.
    ///
    /// - Returns: the number of calls, and the reason for which the whole ends.
    private func outcome(of ends: [SRTCall.End]) throws -> (callCount: Int, end: SRTCall.End?) {
        let loop = try SRTLoop(logger: lines.log)
        let state = Mutex<(callCount: Int, end: SRTCall.End?)>((0, nil))
        let call = OutgoingCall(
            to: try SRTURL("srt://both.example?streamid=yard"), permittedBy: PermittedDestinations()
        ) { _, events in
            let number = state.withLock { state in
                defer { state.callCount += 1 }
                return state.callCount
            }
            events(.ended(ends[number]))
            return SRTCall(on: loop, CallKey(), CallRecord())
        } events: { event in
            guard case .ended(.call(let end)) = event else { return }
            state.withLock { $0.end = end }
        }
        call.found(try ["2001:db8::7", "192.0.2.7"].map { try #require(SocketAddress($0, port: 8890)) })
        return state.withLock(\.self)
    }

    /// The server would count a second wrong password.
    @Test(arguments: [
        SRTRejection.unauthorized, .locked, .notFound, .wrongPassphrase, .unexpectedEncryption, .overload,
        SRTRejection(rawValue: 2_000),
    ])
    func aServerThatRefusesTheCallerIsNotCalledAtItsOtherAddress(rejection: SRTRejection) throws {
        let outcome = try outcome(of: [.rejected(rejection), .closed])
        #expect(outcome == (1, .rejected(rejection)))
    }

    /// An external service has refused the caller after the handshake, perhaps.
    @Test func aServerThatEndsTheConnectionAtOnceIsNotCalledAgain() throws {
        let outcome = try outcome(of: [.disconnected, .closed])
        #expect(outcome == (1, .disconnected))
    }

    @Test(arguments: [SRTCall.End.rejected(.timeout), .rejected(SRTRejection(rawValue: 5)), .failed("no route")])
    func anotherAddressIsCalledIfTheFirstDoesNotReachTheServer(end: SRTCall.End) throws {
        let outcome = try outcome(of: [end, .rejected(.notFound)])
        #expect(outcome == (2, .rejected(.notFound)))
    }
}
