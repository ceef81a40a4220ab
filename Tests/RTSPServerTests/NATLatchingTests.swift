import Delivery
import Media
import Reactor
import Testing

@testable import RTSPServer

/// Properties of NAT latching in virtual time.
struct NATLatchingTests {
    private let host = SocketAddress(ipv4: 0x0A00_0001, port: 0)
    private let start = MonotonicTime(nanoseconds: 100_000_000_000)

    private func pair(_ port: UInt16) -> [SocketAddress] { [host.with(port: port), host.with(port: port + 1)] }

    /// A state machine with one session, whose PLAY was answered at `start`.
    private func playing() -> NATLatching<String> {
        var latching = NATLatching<String>()
        latching.setUp("a", pair(4_000))
        latching.started("a", at: start)
        return latching
    }

    /// The order after a datagram, with its drain.
    private func order(
        _ latching: inout NATLatching<String>, from port: UInt16, on socket: UDPPort, after milliseconds: Int64 = 0
    ) -> NATLatching<String>.Order? {
        let now = start.advanced(byMilliseconds: milliseconds)
        latching.received(from: host.with(port: port), on: socket)
        let order = latching.nextOrder(at: now)
        #expect(latching.nextOrder(at: now) == nil)
        return order
    }

    @Test func eachPortIsCorrectedOnce() throws {
        var latching = playing()
        let first = try #require(order(&latching, from: 50_000, on: .rtp))
        // A NAT that keeps pairs together has RTCP at the next port.
        #expect(first.destinations == [pair(50_000), [host.with(port: 50_000), host.with(port: 4_001)]])
        latching.moved("a", to: first.destinations[0], by: .rtp)
        #expect(order(&latching, from: 51_000, on: .rtp) == nil)
        let second = try #require(order(&latching, from: 60_000, on: .rtcp))
        #expect(second.destinations == [[host.with(port: 50_000), host.with(port: 60_000)]])
        latching.moved("a", to: second.destinations[0], by: .rtcp)
        #expect(order(&latching, from: 61_000, on: .rtcp) == nil)
    }

    @Test func anOrderThatFailsLeavesThePortsOpen() throws {
        var latching = playing()
        _ = try #require(order(&latching, from: 50_000, on: .rtp))
        #expect(order(&latching, from: 50_002, on: .rtp) != nil)
    }

    @Test func aDatagramFromAnExpectedPortEndsLatching() {
        var latching = playing()
        latching.confirmed("a", on: .rtcp)
        #expect(order(&latching, from: 50_000, on: .rtp) == nil)
        #expect(order(&latching, from: 50_001, on: .rtcp) == nil)
    }

    @Test func datagramsLatchUntilFiveSecondsAfterPlay() {
        var early = playing()
        #expect(order(&early, from: 50_000, on: .rtp, after: 5_000) != nil)
        var late = playing()
        #expect(order(&late, from: 50_000, on: .rtp, after: 5_001) == nil)
    }

    @Test func datagramsOfTheLastSecondBeforePlayCount() throws {
        for (milliseconds, isLatched) in [(1_000 as Int64, true), (1_001, false)] {
            var latching = NATLatching<String>()
            latching.setUp("a", pair(4_000))
            latching.received(from: host.with(port: 50_001), on: .rtcp)
            latching.received(from: host.with(port: 50_000), on: .rtp)
            #expect(latching.nextOrder(at: start) == nil)
            latching.started("a", at: start.advanced(byMilliseconds: milliseconds))
            var moved: [UDPPort] = []
            while let order = latching.nextOrder(at: start.advanced(byMilliseconds: milliseconds)) {
                latching.moved("a", to: order.destinations[0], by: order.port)
                moved.append(order.port)
            }
            #expect(moved == (isLatched ? [.rtp, .rtcp] : []))
        }
    }

    @Test func aHostWithTwoUnlatchedSessionsIsAmbiguous() {
        var latching = playing()
        latching.setUp("b", pair(4_002))
        latching.started("b", at: start)
        #expect(order(&latching, from: 50_000, on: .rtp) == nil)
        latching.ended("b")
        #expect(order(&latching, from: 50_000, on: .rtp)?.session == "a")
    }

    @Test func aSessionWithTwoTracksIsNotLatched() {
        var latching = NATLatching<String>()
        latching.setUp("a", pair(4_000))
        latching.setUp("a", pair(4_002))
        latching.started("a", at: start)
        #expect(order(&latching, from: 50_000, on: .rtp) == nil)
    }

    @Test func anotherHostHasNoEffect() {
        var latching = playing()
        latching.received(from: SocketAddress(ipv4: 0x0A00_0002, port: 50_000), on: .rtp)
        #expect(latching.nextOrder(at: start) == nil)
    }
}
