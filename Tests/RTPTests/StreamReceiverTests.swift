import Media
import RTP
import TestSupport
import Testing
import Wire

/// A network between a packager and a receiver, in virtual time with a seed: it delays, reorders and loses packets.
struct StreamReceiverTests {
    private static let millisecond: Int64 = 1_000_000
    private static let frameTicks: Int64 = 3_600

    private struct Packet {
        let bytes: [UInt8]
        var arrival: Int64
    }

    /// The packets of `count` frames, 40 ms apart, with a delay between 20 ms and 20 ms + `jitter`.
    private static func packets(
        of count: Int, displayOrder: [Int64] = [0], jitter: Int64 = 0, _ random: inout SplitMix64
    ) -> (units: [[[UInt8]]], packets: [Packet]) {
        let packager = packager()
        var rewriter = HeaderRewriter.forTests()
        var (units, packets): ([[[UInt8]]], [Packet]) = ([], [])
        for number in 0..<count {
            let group = number / displayOrder.count * displayOrder.count
            let shown = Int64(group) + displayOrder[number % displayOrder.count]
            let isKeyframe = number == 0
            let size = Int.random(in: 40...6_000, using: &random)
            // Without zeros, because a start code would end the NAL unit.
            let unit = randomNALUnits([(isKeyframe ? 5 : 1, size)], using: &random).map { $0.map { max(1, $0) } }
            units.append(unit)
            let run = packager.package(accessUnit(unit, ticks: shown * frameTicks, isKeyframe: isKeyframe))
            let sent = Int64(number) * 40 * millisecond
            for datagram in run?.datagrams(&rewriter) ?? [] {
                // The first packet that comes begins the stream, so the first frame's stay in order.
                let delay = 20 * millisecond + (number > 0 ? Int64.random(in: 0...jitter, using: &random) : 0)
                packets.append(Packet(bytes: datagram, arrival: sent + delay))
            }
        }
        return (units, packets)
    }

    /// Passes packets at their arrivals, and calls the deadlines between them.
    private static func receive(_ packets: [Packet], _ receiver: inout StreamReceiver) -> [StreamReceiver.Reception] {
        var receptions: [StreamReceiver.Reception] = []
        func take() { while let reception = receiver.next() { receptions.append(reception) } }
        for packet in packets {
            while receiver.nextDeadline < MonotonicTime(nanoseconds: packet.arrival) {
                receiver.deadlinePassed(at: receiver.nextDeadline)
                take()
            }
            let bytes = packet.bytes
            guard let (header, payload) = Header.parse(bytes.rawSpan) else { continue }
            receiver.received(
                bytes.rawSpan.extracting(payload), header: header, track: 0,
                arrival: MonotonicTime(nanoseconds: packet.arrival))
            take()
        }
        while receiver.nextDeadline < .distantFuture { receiver.deadlinePassed(at: receiver.nextDeadline) }
        take()
        return receptions
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func reorderedPacketsGiveTheSameUnitsInOrder(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var (units, packets) = Self.packets(of: 100, jitter: 30 * Self.millisecond, &random)
        packets = packets.enumerated().sorted { ($0.element.arrival, $0.offset) < ($1.element.arrival, $1.offset) }
            .map(\.element)
        var receiver = StreamReceiver(tracks, epoch: MonotonicTime(nanoseconds: 0))
        let receptions = Self.receive(packets, &receiver)
        let contents = receptions.map { $0.unit.contents }
        #expect(contents == units)
        #expect(!receptions.contains { !$0.isComplete })
        #expect(receptions.allSatisfy { $0.unit.presentationTime == $0.unit.decodeTime })
        #expect(receiver.counts(track: 0).lostPackets == 0)
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func aLossCostsItsUnitAndFiftyMilliseconds(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let (units, packets) = Self.packets(of: 100, &random)
        let lost = Int.random(in: 20..<packets.count - 20, using: &random)
        var left = packets
        left.remove(at: lost)
        var receiver = StreamReceiver(tracks, epoch: MonotonicTime(nanoseconds: 0))
        let receptions = Self.receive(left, &receiver)
        #expect(receiver.counts(track: 0).lostPackets == 1)
        let complete = receptions.filter(\.isComplete).map { $0.unit.contents }
        #expect(complete.count >= 97)
        #expect(Set(complete).isSubset(of: units))
        #expect(receiver.nextDeadline == .distantFuture)
    }

    /// 1 % of the packets are lost, and each is a frame. No frame comes 100 ms later than its distance from the frame before.
    @Test func lossesOfWholeFramesStallForLessThanATenthOfASecond() {
        var random = SplitMix64(seed: 8)
        let packager = packager()
        var rewriter = HeaderRewriter.forTests()
        var receiver = StreamReceiver(tracks, epoch: MonotonicTime(nanoseconds: 0))
        var (received, latest): (Int, Int64) = (0, 0)
        func take(at now: Int64) {
            while let unit = receiver.next()?.unit {
                received += 1
                latest = max(latest, now - unit.presentationTime.nanoseconds)
            }
        }
        for number in 0..<3_000 as Range<Int64> {
            let arrival = number * 40 * Self.millisecond
            while receiver.nextDeadline.nanoseconds < arrival {
                let deadline = receiver.nextDeadline
                receiver.deadlinePassed(at: deadline)
                take(at: deadline.nanoseconds)
            }
            let run = packager.package(accessUnit([[0x41, 1, 2, 3]], ticks: number * Self.frameTicks))
            for bytes in run?.datagrams(&rewriter) ?? []
            where number == 0 || Int.random(in: 0..<100, using: &random) > 0 {
                guard let (header, payload) = Header.parse(bytes.rawSpan) else { continue }
                receiver.received(
                    bytes.rawSpan.extracting(payload), header: header, track: 0,
                    arrival: MonotonicTime(nanoseconds: arrival))
            }
            take(at: arrival)
        }
        let lost = receiver.counts(track: 0).lostPackets
        #expect((15...60).contains(lost) && received + Int(lost) >= 2_998, "\(lost)")
        #expect(latest < 60 * Self.millisecond, "\(latest) ns")
    }

    /// While a packet is missing, time passes: what waits is given after 50 ms, or when 64 packets wait.
    @Test func waitingIsBoundedInTimeAndPackets() {
        var random = SplitMix64(seed: 3)
        let (_, packets) = Self.packets(of: 60, &random)
        var receiver = StreamReceiver(tracks, epoch: MonotonicTime(nanoseconds: 0))
        var count = 0
        for index in [0] + Array(2..<packets.count) {
            let bytes = packets[index].bytes
            guard let (header, payload) = Header.parse(bytes.rawSpan) else { continue }
            receiver.received(
                bytes.rawSpan.extracting(payload), header: header, track: 0,
                arrival: MonotonicTime(nanoseconds: 7))
            if index > 0, index <= 65 {
                #expect(receiver.nextDeadline == MonotonicTime(nanoseconds: 7 + 50 * Self.millisecond))
            }
            while receiver.next() != nil { count += 1 }
            if index < 65 { #expect(count <= 1) }
        }
        #expect(count > 50)
    }

    /// A camera restarts: other SSRC, sequence numbers and timestamps. Its units follow at once, and times go on.
    @Test func anotherSourceContinuesTheTrack() {
        var random = SplitMix64(seed: 6)
        let (units, packets) = Self.packets(of: 100, &random)
        // Packets of the second half have another SSRC, other sequence numbers and other timestamps.
        let middle = Int64(50) * 40 * Self.millisecond
        let moved = packets.map { packet -> Packet in
            guard packet.arrival >= middle + 20 * Self.millisecond else { return packet }
            var bytes = packet.bytes
            for (index, mask) in [(2, 0x55), (4, 0xA0), (8, 0x33)] as [(Int, UInt8)] { bytes[index] ^= mask }
            return Packet(bytes: bytes, arrival: packet.arrival)
        }
        var receiver = StreamReceiver(tracks, epoch: MonotonicTime(nanoseconds: 0))
        let received = Self.receive(moved, &receiver).map(\.unit)
        #expect(received.map(\.contents) == units)
        for (number, unit) in received.enumerated() {
            let arrival = Int64(number) * 40 * Self.millisecond + 20 * Self.millisecond
            #expect(abs(unit.presentationTime.nanoseconds - arrival) < Self.millisecond, "\(number)")
        }
        #expect(receiver.counts(track: 0) == DepacketizerCounts())
    }

    /// B-frames: the presentation times are those of capture, and the decode times rise.
    @Test func reorderedFramesGetBothTimes() {
        var random = SplitMix64(seed: 4)
        let (_, packets) = Self.packets(of: 120, displayOrder: [0, 3, 1, 2], &random)
        var receiver = StreamReceiver(tracks, epoch: MonotonicTime(nanoseconds: 0))
        let units = Self.receive(packets, &receiver).map(\.unit)
        #expect(units.count == 120)
        #expect(zip(units, units.dropFirst()).allSatisfy { $0.decodeTime.ticks < $1.decodeTime.ticks })
        #expect(units.allSatisfy { $0.decodeTime.ticks <= $0.presentationTime.ticks })
        // Once the depth is known, presentation times are a frame interval apart in display order.
        let times = units.dropFirst(20).map(\.presentationTime.ticks).sorted()
        #expect(
            zip(times, times.dropFirst()).allSatisfy { abs($1 - $0 - Self.frameTicks) <= 40 }, "\(times.prefix(20))")
    }

    @Test func capturedBeforeArrivalAndCloseToIt() {
        var random = SplitMix64(seed: 5)
        let (_, packets) = Self.packets(of: 500, jitter: 10 * Self.millisecond, &random)
        let arrivals = packets.sorted { $0.arrival < $1.arrival }
        var receiver = StreamReceiver(tracks, epoch: MonotonicTime(nanoseconds: 0))
        for (number, reception) in Self.receive(arrivals, &receiver).enumerated().dropFirst(150) {
            let captured = reception.unit.presentationTime.nanoseconds
            let sent = Int64(number) * 40 * Self.millisecond
            #expect(abs(captured - sent - 20 * Self.millisecond) < 8 * Self.millisecond)
        }
    }
}

extension AccessUnit {
    fileprivate var contents: [[UInt8]] { units.map { Array(bytes[$0]) } }
}
