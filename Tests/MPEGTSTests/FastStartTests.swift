import Media
import TestSupport
import Testing

@testable import MPEGTS

@Suite struct FastStartTests {
    /// Wherever a receiver joins, its fast start continues into the live packets without a gap on any PID.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func continuityCountersContinueIntoTheLivePackets(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let units = Broadcast(interval: 6_000, comesInParts: true).units(seconds: 3, seed: seed)
        let join = Int.random(in: 0...units.count, using: &random)
        var live = Multiplexer(tracks: tracks())
        _ = live.bytes(of: Array(units[..<join]))

        let history = Array(units[..<join].suffix(Int.random(in: 0...100, using: &random)))
        var fastStart = live.fastStart(of: history)
        var receiver = Receiver()
        for bytes in fastStart.bytes(of: history) + live.bytes(of: Array(units[join...])) { receiver.receive(bytes) }
        #expect(receiver.violations.filter { !$0.contains("continues without a beginning") } == [])
        if !history.isEmpty, history.contains(where: \.part.isStart) {
            let first = history.firstIndex { $0.part.isStart }
            #expect(first != 0 || receiver.sections.prefix(2).map(\.packet) == [0, 1])
        }
    }

    @Test func theLiveMultiplexerIsNotChanged() {
        let units = Broadcast().units(seconds: 2, seed: 1)
        var live = Multiplexer(tracks: tracks())
        _ = live.bytes(of: Array(units[..<60]))
        var other = live
        _ = live.fastStart(of: Array(units[30..<60]))
        #expect(live.bytes(of: Array(units[60...])) == other.bytes(of: Array(units[60...])))
    }
}
