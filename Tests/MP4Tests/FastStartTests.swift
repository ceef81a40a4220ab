import Media
import TestSupport
import Testing

@testable import MP4

@Suite struct FastStartTests {
    /// Wherever a client joins, decode times and numbers of its fast start continue into the live fragments.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func timesAndNumbersContinueIntoTheLiveFragments(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let units = Self.paused(
            Broadcast(interval: 6_000, comesInParts: true).units(seconds: 3, seed: seed), using: &random)
        let join = Int.random(in: 0...units.count, using: &random)
        var live = MP4Packager<[UInt8]>(tracks: Broadcast.tracks(), options: .inBand)
        _ = live.fragments(of: Array(units[..<join]))
        let history = Array(units[..<join].suffix(Int.random(in: 0...100, using: &random)))
        let fastStart = live.fastStart(history)
        var reader = MovieReader(live.head?.bytes ?? [])
        for fragment in fastStart + live.fragments(of: Array(units[join...])) { reader.read(fragment.bytes) }
        #expect(reader.violations == [])
        let numbers = reader.fragments.map(\.sequenceNumber)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 &+ 1 })
        for number in [videoNumber, audioNumber] {
            let samples = reader.samples(of: number)
            #expect(zip(samples, samples.dropFirst()).allSatisfy { $1.decode > $0.decode })
            // What browsers require.
            #expect(zip(samples, samples.dropFirst()).allSatisfy { $1.decode - $0.decode < 2 * UInt64($0.duration) })
            // A frame whose first part is older than the history comes only if the live packager has that part.
            let sent = joined(history + Array(units[join...])).filter { $0.track.index + 1 == Int(number) }
            #expect(abs(sent.count - samples.count) <= 1)
            for (unit, sample) in zip(sent.reversed(), samples.reversed()) {
                #expect(sample.presentation == MovieTime.ticks(unit.presentationTime))
            }
        }
    }

    @Test func theLivePackagerIsNotChanged() {
        let units = Broadcast().units(seconds: 2, seed: 1)
        var live = MP4Packager<[UInt8]>(tracks: Broadcast.tracks(), options: .inBand)
        _ = live.fragments(of: Array(units[..<60]))
        var other = live
        _ = live.fastStart(Array(units[30..<60]))
        let rest = Array(units[60...])
        #expect(live.fragments(of: rest).map(\.bytes) == other.fragments(of: rest).map(\.bytes))
    }

    /// The units with pauses of up to a second between them.
    private static func paused(_ units: [AccessUnit], using random: inout SplitMix64) -> [AccessUnit] {
        var pause: Int64 = 0
        return units.map { unit in
            if Int.random(in: 0..<100, using: &random) == 0, unit.part.isStart {
                pause += Int64.random(in: 0...800_000_000, using: &random)
            }
            var (shown, decoded) = (unit.presentationTime, unit.decodeTime)
            shown.ticks += shown.rate.ticks(inNanoseconds: pause)
            decoded.ticks += decoded.rate.ticks(inNanoseconds: pause)
            return unit.at(presentationTime: shown, decodeTime: decoded)
        }
    }
}
