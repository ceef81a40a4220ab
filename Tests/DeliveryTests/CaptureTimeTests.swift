import Media
import RTP
import Streams
import Testing
import Wire

@testable import Delivery

/// Packets that carry their capture time.
@Suite(.serialized)
struct CaptureTimeTests {
    private static let wall: Int64 = 1_763_689_871_123_456_789

    /// A broadcast with a wall clock that does not advance.
    private static func broadcast() -> Broadcast {
        let reading = ClockReading(monotonic: .now(), unixNanoseconds: wall)
        return Broadcast(clock: StreamClock { reading })
    }

    private static func time(in packet: Packet) -> NTPTime? {
        AbsoluteCaptureTime.time(in: packet.header, identifier: HeaderExtension.absoluteCaptureTime.identifier)
    }

    /// The capture times of frames at 25 frames per second.
    private static func captures(_ numbers: Range<Int64>) -> [NTPTime] {
        numbers.map { NTPTime(unixNanoseconds: wall + $0 * 40_000_000) }
    }

    @Test(arguments: [true, false])
    func allDatagramsOfAFrameCarryTheCaptureTimeAndAreOtherwiseUnchanged(usesGSO: Bool) throws {
        let broadcast = Self.broadcast()
        var plain = try UDPClient(usesGSO: usesGSO)
        var telling = try UDPClient(usesGSO: usesGSO, rewriter: .sendingCaptureTime)
        #expect(broadcast.start(plain.viewer, mode: .keyframe) && broadcast.start(telling.viewer, mode: .keyframe))
        for number in 0..<4 {
            let before = broadcast.delivery.statistics.messages
            broadcast.publish(idr: number == 0, byteCount: 9_000 + number * 1_000)
            broadcast.turn(after: 40)
            #expect((broadcast.delivery.statistics.messages - before).isMultiple(of: 2))
        }
        let (without, with) = (plain.packets(), telling.packets())
        #expect(with.map(\.payload) == without.map(\.payload))
        #expect(with.map(\.header.sequenceNumber) == without.map(\.header.sequenceNumber))
        #expect(with.map(\.header.isMarked) == without.map(\.header.isMarked))
        #expect(without.allSatisfy { $0.header.headerExtension == nil })
        #expect(with.filter(\.header.isMarked).map(Self.time) == Self.captures(0..<4))
        for (one, next) in zip(with, with.dropFirst()) where one.header.timestamp == next.header.timestamp {
            #expect(Self.time(in: one) == Self.time(in: next))
        }
    }

    @Test func interleavedPacketsCarryTheCaptureTimeToo() throws {
        let broadcast = Self.broadcast()
        let client = try TCPClient(sendBufferByteCount: 1 << 20, rewriter: .sendingCaptureTime)
        #expect(broadcast.start(client.viewer, mode: .keyframe))
        for number in 0..<3 {
            broadcast.publish(idr: number == 0, byteCount: 4_000)
            broadcast.turn(after: 40)
        }
        var rest = client.readAll()[...]
        var times: [NTPTime?] = []
        while rest.count > 4 {
            let (channel, length) = (
                rest[rest.startIndex + 1], rest.dropFirst(2).prefix(2).reduce(0) { $0 << 8 | Int($1) }
            )
            let frame = Array(rest.dropFirst(4).prefix(length))
            rest = rest.dropFirst(4 + length)
            guard channel == 0, let packet = Packet(frame), packet.header.isMarked else { continue }
            times.append(Self.time(in: packet))
        }
        #expect(rest.isEmpty && times == Self.captures(0..<3))
    }

    @Test func theFastStartCarriesTheRealCaptureTimes() throws {
        let broadcast = Self.broadcast()
        for number in 0..<30 as Range<Int64> { broadcast.publish(idr: number == 0, byteCount: 300) }
        var client = try UDPClient(usesGSO: true, rewriter: .sendingCaptureTime)
        #expect(broadcast.start(client.viewer))
        broadcast.turn(after: 40)
        let packets = client.packets().filter(\.header.isMarked)
        #expect(packets.map(Self.time) == Self.captures(0..<30))
        let last = try #require(packets.last).header.timestamp
        #expect(last &- packets[0].header.timestamp < 90 * 130, "its RTP times are compressed")
    }
}
