import Media
import RTSP
import Reactor
import SRT
import Streams
import TestSupport
import Testing

@testable import SRTServer

/// Decisions without connections: the numbers of the sockets are unknown to libsrt.
@Suite(.serialized)
struct HandshakeGateTests {
    private let services: TestServices
    private let lines = LoggedLines()
    private let loop: SRTLoop
    private let gate: HandshakeGate

    init() throws {
        services = TestServices(.users(guessCount: 2))
        services.offer(OfferedPath(stream: Streams.Stream(path: "/cam", epoch: .now())))
        loop = try SRTLoop(logger: lines.log)
        var options = ServerOptions()
        options.handshakesPerAddress = 3
        gate = HandshakeGate(options, services, loop.log)
    }

    private func decide(_ number: Int32, _ streamID: String, from host: UInt32 = 0x7F00_0001, port: UInt16 = 1_000)
        -> SRTRejection?
    {
        gate.decide(
            SRTSocket(number: number), from: SocketAddress(ipv4: host, port: port), streamID: Array(streamID.utf8))
    }

    /// A caller repeats its handshake every 250 ms until it has the answer, which may get lost.
    @Test func aRepeatedHandshakeIsNoSecondGuess() {
        for number in 1...5 as ClosedRange<Int32> {
            #expect(decide(number, "read:cam:eve:pear") == .unauthorized)
        }
        #expect(decide(6, "read:cam:eve:apple") == nil)
        #expect(decide(7, "read:cam:eve:plum", port: 1_001) == .locked)
        gate.stop()
        #expect(services.counts == TestServices.Counts())
        #expect(decide(8, "read:cam:eve:apple", port: 1_002) == .unavailable)
    }

    @Test func oneAddressHasFewUnfinishedHandshakes() {
        for number in 1...3 as ClosedRange<Int32> {
            #expect(decide(number, "read:cam:eve:apple", port: UInt16(number)) == nil)
        }
        #expect(decide(4, "read:cam:eve:apple", port: 4) == .overload)
        #expect(decide(5, "read:cam:eve:apple", from: 0x7F00_0002, port: 5) == nil, "others are not disturbed")
        #expect(gate.connected(SRTSocket(number: 1))?.path == "/cam")
        #expect(decide(6, "read:cam:eve:apple", port: 6) == nil)
        #expect(services.counts == TestServices.Counts(connections: 5, viewers: 5))
    }

    @Test func handshakesThatAreNotFinishedAreUncounted() {
        #expect(decide(1, "read:cam:eve:apple") == nil)
        gate.giveUpFailed(at: .now())
        #expect(services.counts.viewers == 1, "libsrt may still work on it")
        gate.giveUpFailed(at: .now().advanced(byMilliseconds: 100))
        #expect(services.counts == TestServices.Counts() && !gate.hasUnfinished)
        #expect(gate.connected(SRTSocket(number: 1)) == nil)
    }
}
