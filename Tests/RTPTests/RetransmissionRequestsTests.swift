import Media
import RTP
import TestSupport
import Testing

@Suite struct RetransmissionRequestsTests {
    static let millisecond: Int64 = 1_000_000

    static func instant(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000 + milliseconds * millisecond)
    }

    /// Awaits packets for 100 ms.
    static func requests(roundTrip: Int64? = 20) -> RetransmissionRequests {
        RetransmissionRequests(patience: 100 * millisecond, roundTrip: roundTrip.map { $0 * millisecond })
    }

    /// Missing packets between the first and the last, by their distance from the first, and what is requested in one message.
    static let patterns: [(missing: [Int], requested: [(first: Int, following: UInt16)])] = [
        ([], []),
        ([1], [(1, 0)]),
        ([1, 2], [(1, 0b1)]),
        ([1, 3, 5], [(1, 0b1010)]),
        (Array(1...17), [(1, 0xFFFF)]),
        (Array(1...18), [(1, 0xFFFF), (18, 0)]),
        ([1, 17], [(1, 0x8000)]),
        ([1, 18], [(1, 0), (18, 0)]),
        ([3, 90, 91], [(3, 0), (90, 0b1)]),
        (Array(1...100), (0..<6).map { (1 + 17 * $0, $0 < 5 ? 0xFFFF : 0x3FFF) }),
    ]

    @Test(arguments: patterns, [0, 65_534, 65_400] as [UInt16])
    func missingPacketsAreRequestedAfterTheReorderingWait(
        _ pattern: (missing: [Int], requested: [(first: Int, following: UInt16)]), first: UInt16
    ) {
        var requests = Self.requests()
        for step in 0...110 where !pattern.missing.contains(step) {
            let origin = requests.received(SequenceNumber(first).advanced(by: step), at: Self.instant(0))
            #expect(origin == .original)
        }
        #expect(requests.nextDeadline == (pattern.missing.isEmpty ? .distantFuture : Self.instant(5)))
        let early = requests.takeRequests(at: Self.instant(4))
        #expect(early.isEmpty)
        let requested = requests.takeRequests(at: Self.instant(5))
        #expect(
            requested
                == pattern.requested.map {
                    Feedback.LostPackets(
                        first: SequenceNumber(first).advanced(by: $0.first), following: $0.following)
                })
    }

    @Test func aPacketThatWasOvertakenIsNotRequested() {
        var requests = Self.requests()
        for (number, time) in [(1, 0), (3, 1), (4, 2), (2, 5)] as [(UInt16, Int64)] {
            #expect(requests.received(SequenceNumber(number), at: Self.instant(time)) == .original)
        }
        #expect(requests.nextDeadline == .distantFuture)
        let requested = requests.takeRequests(at: Self.instant(10))
        #expect(requested.isEmpty)
    }

    /// The instants of the requests for a packet that is missed from 0 ms on and never comes.
    @Test(
        arguments: [
            (roundTrip: 1, instants: [5, 30, 55, 80]), (20, [5, 30, 55, 80]), (40, [5, 52]), (60, [5]), (95, [5]),
            (96, []), (nil, [5]),
        ] as [(Int64?, [Int64])])
    func aPacketIsRequestedOncePerRoundTripUntilItWouldBeTooLate(roundTrip: Int64?, instants: [Int64]) {
        var requests = Self.requests(roundTrip: roundTrip)
        _ = requests.received(SequenceNumber(1), at: Self.instant(0))
        _ = requests.received(SequenceNumber(3), at: Self.instant(0))
        var requested: [Int64] = []
        for time in 0...2_000 as ClosedRange<Int64> {
            let packets = requests.takeRequests(at: Self.instant(time))
            if !packets.isEmpty { requested.append(time) }
        }
        #expect(requested == instants)
        #expect(requests.nextDeadline == .distantFuture)
    }

    /// When the packet comes that is missed from 0 ms on and requested at 5 ms, and when it comes again.
    @Test(
        arguments: [
            // An answer takes at least half of the round trip.
            ([25], [.repair]), ([15], [.repair]), ([14], [.original]), ([14, 25], [.original, .needlessRepair]),
            ([25, 50], [.repair, .needlessRepair]), ([100], [.repair]), ([101], [.needlessRepair]),
            ([1_000], [.needlessRepair]),
        ] as [([Int64], [PacketOrigin])])
    func answersAreRecognised(_ arrivals: [Int64], origins: [PacketOrigin]) {
        var requests = Self.requests()
        _ = requests.received(SequenceNumber(65_535), at: Self.instant(0))
        _ = requests.received(SequenceNumber(1), at: Self.instant(0))
        let requested = requests.takeRequests(at: Self.instant(5))
        #expect(requested == [Feedback.LostPackets(first: SequenceNumber(0))])
        let found = arrivals.map { requests.received(SequenceNumber(0), at: Self.instant($0)) }
        #expect(found == origins)
        // Nothing that has come is requested again.
        for time in arrivals[0]...2_000 {
            let packets = requests.takeRequests(at: Self.instant(time))
            #expect(packets.isEmpty)
        }
    }

    @Test func copiesAndOldPacketsOfTheNetworkAreOriginal() {
        var requests = Self.requests()
        for number in [10, 11, 11, 12, 3, 13] as [UInt16] {
            #expect(requests.received(SequenceNumber(number), at: Self.instant(0)) == .original)
        }
        #expect(requests.nextDeadline == .distantFuture)
    }

    @Test func theRoundTripIsLearntFromAnswers() {
        var requests = Self.requests(roundTrip: nil)
        var (number, time) = (SequenceNumber(0), Int64(0))
        for _ in 0..<50 {
            _ = requests.received(number, at: Self.instant(time))
            _ = requests.received(number.advanced(by: 2), at: Self.instant(time))
            _ = requests.takeRequests(at: Self.instant(time + 5))
            let origin = requests.received(number.advanced(by: 1), at: Self.instant(time + 10))
            #expect(origin == .repair)
            (number, time) = (number.advanced(by: 3), time + 20)
        }
        // 5 ms are known now, so that there is time for four requests instead of one.
        _ = requests.received(number.advanced(by: 1), at: Self.instant(time))
        let count = (0...100).count { !requests.takeRequests(at: Self.instant(time + $0)).isEmpty }
        #expect(count == 4)
    }

    /// Losses of any kind, also such that nothing comes back.
    @Test(arguments: [0.01, 0.1, 0.5, 0.9], 0..<5 as Range<UInt64>)
    func requestsAreBounded(loss: Double, seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var requests = Self.requests(roundTrip: 1)
        var (received, messages, requested) = (0, 0, 0)
        var latest: [SequenceNumber: Int64] = [:]
        for time in 0..<10_000 as Range<Int64> {
            for step in 0..<3 where Double.random(in: 0..<1, using: &random) >= loss {
                received += 1
                _ = requests.received(
                    SequenceNumber(UInt16(truncatingIfNeeded: 3 * Int(time) + step)), at: Self.instant(time))
            }
            let packets = requests.takeRequests(at: Self.instant(time))
            if !packets.isEmpty { messages += 1 }
            #expect(packets.count <= 16)
            for number in packets.flatMap(\.sequenceNumbers) {
                requested += 1
                if let last = latest[number] { #expect(time - last >= 25) }
                latest[number] = time
            }
        }
        #expect(messages <= 2_000)
        #expect(requested <= received / 2 + 128)
    }

    @Test(arguments: [(256, true), (257, false), (20_000, false)])
    func aLongGapIsNotRequested(count: Int, isRequested: Bool) {
        var requests = Self.requests()
        _ = requests.received(SequenceNumber(0), at: Self.instant(0))
        _ = requests.received(SequenceNumber(0).advanced(by: count + 1), at: Self.instant(0))
        let packets = requests.takeRequests(at: Self.instant(5))
        #expect(packets.isEmpty != isRequested)
    }

    @Test func aSenderThatRestartsIsFollowed() {
        var requests = Self.requests()
        for number in [40_000, 40_001, 7, 8, 10] as [UInt16] {
            #expect(requests.received(SequenceNumber(number), at: Self.instant(0)) == .original)
        }
        let packets = requests.takeRequests(at: Self.instant(5))
        #expect(packets == [Feedback.LostPackets(first: SequenceNumber(9))])
    }

    @Test func anotherSourceBeginsAnew() {
        var requests = Self.requests()
        _ = requests.received(SequenceNumber(1), at: Self.instant(0))
        _ = requests.received(SequenceNumber(3), at: Self.instant(0))
        requests.beginAnew()
        #expect(requests.nextDeadline == .distantFuture)
        let origin = requests.received(SequenceNumber(100), at: Self.instant(1))
        #expect(origin == .original)
        #expect(requests.nextDeadline == .distantFuture)
    }
}
