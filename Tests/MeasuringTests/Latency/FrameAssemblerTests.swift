import Media
import RTP
import SDP
import TestSupport
import Testing

@testable import Measuring
@testable import RTSPClient

@Suite struct FrameAssemblerTests {
    /// A packet to receive.
    struct Packet: Sendable {
        var number: UInt16
        var timestamp: UInt32
        var isMarked: Bool
        var payload: [UInt8]
        var arrival: Int64
    }

    /// `count` frames with SEI, of `slices` packets each, at intervals of a millisecond; the first frame is a keyframe.
    private func packets(count: Int, slices: Int = 3) -> [Packet] {
        var packets: [Packet] = []
        for frame in 0..<count {
            let timestamp = (UInt32.max - 4_000) &+ UInt32(frame) &* 3_000
            let captureTimestamp = CaptureTimestamp(
                frameNumber: UInt32(frame), wallClock: NTPTime(unixNanoseconds: 5),
                monotonic: MonotonicTime(nanoseconds: 6))
            let units = [captureTimestamp.nalUnit] + (1..<slices).map { [frame == 0 ? 0x65 : 0x41, UInt8($0), 0x80] }
            for (index, unit) in units.enumerated() {
                packets.append(
                    Packet(
                        number: UInt16.max - 5 &+ UInt16(packets.count), timestamp: timestamp,
                        isMarked: index == units.count - 1, payload: unit, arrival: Int64(packets.count) * 1_000_000))
            }
        }
        return packets
    }

    private func frames(
        of packets: [Packet], _ payload: DescribedTrack.Payload = .inBand(.h264)
    ) -> [FrameAssembler.Completion] {
        var assembler = FrameAssembler(payload)
        var completions: [FrameAssembler.Completion] = []
        for packet in packets {
            assembler.receive(packet)
            while let completion = assembler.next() { completions.append(completion) }
        }
        assembler.passGap(at: MonotonicTime(nanoseconds: 1_000_000_000))
        while let completion = assembler.next() { completions.append(completion) }
        return completions
    }

    @Test(arguments: [true, false])
    func aFrameLastsFromItsFirstToItsLastPacket(isH264: Bool) {
        let completions = frames(of: packets(count: 4), isH264 ? .inBand(.h264) : .unknown)
        #expect(completions.count == 4)
        for (number, completion) in completions.enumerated() {
            let frame = completion.frame
            #expect(frame.isWhole)
            #expect(frame.packetCount == 3)
            #expect(frame.firstPacket.nanoseconds == Int64(number) * 3_000_000)
            #expect(frame.lastPacket.nanoseconds == Int64(number) * 3_000_000 + 2_000_000)
            #expect(frame.isKey == (isH264 && number == 0))
            #expect(frame.captureTimestamp?.frameNumber == (isH264 ? UInt32(number) : nil))
            #expect((completion.unit != nil) == isH264)
        }
    }

    @Test(arguments: [true, false])
    func withoutMarkersAFrameEndsAtTheNextTimestamp(isH264: Bool) {
        let unmarked = packets(count: 4).map { packet in
            var packet = packet
            packet.isMarked = false
            return packet
        }
        let completions = frames(of: unmarked, isH264 ? .inBand(.h264) : .unknown)
        #expect(completions.count == 3)
        #expect(completions.allSatisfy { $0.frame.isWhole && $0.frame.packetCount == 3 })
    }

    /// In any order of packets, a frame is complete with its last packet, and no frame is broken.
    @Test func reorderedPacketsFormTheSameFrames() {
        var random = SplitMix64(seed: 9)
        let packets = packets(count: 20)
        for _ in 0..<50 {
            // The first packet stays first, because packets before it are unknown to the receiver.
            let order = Array(packets.indices).chunks(of: 6).enumerated().flatMap {
                $0.offset == 0 ? $0.element : $0.element.shuffled(using: &random)
            }
            let sent = order.enumerated().map { place, index in
                var packet = packets[index]
                packet.arrival = Int64(place) * 1_000_000
                return packet
            }
            let completions = frames(of: sent)
            #expect(completions.count == 20)
            for completion in completions {
                let arrivals = sent.filter { $0.timestamp == completion.frame.timestamp }.map(\.arrival)
                #expect(completion.frame.isWhole)
                #expect(completion.frame.firstPacket.nanoseconds == arrivals.min())
                #expect(completion.frame.lastPacket.nanoseconds == arrivals.max())
            }
        }
    }

    @Test(arguments: [4, 5])
    func aFrameWithALostPacketIsBroken(missing: Int) {
        var packets = packets(count: 6)
        packets.remove(at: missing)
        let completions = frames(of: packets)
        #expect(completions.first { $0.frame.timestamp == packets[3].timestamp }?.frame.isWhole == false)
        #expect(completions.last?.frame.isWhole == true)
    }

    @Test func theAssemblerWaitsForAMissingPacketUntilTheTimeout() {
        var assembler = FrameAssembler(.inBand(.h264))
        var packets = packets(count: 3)
        packets.remove(at: 4)
        for packet in packets { assembler.receive(packet) }
        #expect(assembler.next() != nil && assembler.next() == nil)
        let since = MonotonicTime(nanoseconds: packets[4].arrival)
        #expect(assembler.nextDeadline == since + FrameAssembler.gapTimeout)
        assembler.passGap(at: since + FrameAssembler.gapTimeout + -1)
        #expect(assembler.next() == nil)
        assembler.passGap(at: since + FrameAssembler.gapTimeout)
        #expect(assembler.next() != nil && assembler.next() != nil)
        #expect(assembler.nextDeadline == nil)
    }

    /// A packet that has waited for one gap does not wait again for the next.
    @Test func delaysOfSeveralLossesDoNotAddUp() {
        var assembler = FrameAssembler(.inBand(.h264))
        var (ended, wholeCount) = (0, 0)
        for (index, packet) in packets(count: 400).enumerated() where index % 20 != 13 {
            let now = MonotonicTime(nanoseconds: packet.arrival)
            assembler.passGap(at: now)
            assembler.receive(packet)
            while let completion = assembler.next() {
                ended += 1
                wholeCount += completion.frame.isWhole ? 1 : 0
                #expect(now - completion.frame.lastPacket <= FrameAssembler.gapTimeout + 3_000_000)
            }
        }
        #expect(ended > 330 && wholeCount > 250)
    }

    @Test func randomPacketsFormBrokenFramesWithoutATrap() {
        var random = SplitMix64(seed: 13)
        let packets = (0..<5_000).map { number -> Packet in
            let step = UInt16.random(in: 0...40, using: &random)
            let payload = random.bytes(Int.random(in: 0...40, using: &random))
            return Packet(
                number: UInt16(number / 20) &+ step, timestamp: UInt32(number / 7), isMarked: number % 7 == 0,
                payload: payload, arrival: Int64(number))
        }
        for completion in frames(of: packets) {
            #expect(!completion.frame.isWhole || completion.unit != nil)
            #expect(completion.unit.map { !$0.units.isEmpty } ?? true)
        }
    }
}

extension FrameAssembler {
    fileprivate mutating func receive(_ packet: FrameAssemblerTests.Packet) {
        let header = Header(
            payloadType: PayloadType(lowBitsOf: 96), isMarked: packet.isMarked,
            sequenceNumber: SequenceNumber(packet.number),
            timestamp: packet.timestamp, ssrc: SSRC(1))
        let span = packet.payload.span
        received(
            ReceivedPacket(
                track: 0, header: header, isKeyframe: false, arrival: MonotonicTime(nanoseconds: packet.arrival),
                byteCount: packet.payload.count + 12, payload: span.bytes))
    }
}

extension [Int] {
    fileprivate func chunks(of count: Int) -> [[Int]] {
        stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
    }
}
