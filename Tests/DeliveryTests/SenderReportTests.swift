import Media
import RTP
import Streams
import Synchronization
import Testing
import Wire

@testable import Delivery

/// Sender reports and timestamps, on clocks that the test sets.
@Suite(.serialized)
struct SenderReportTests {
    private static let wall: Int64 = 1_763_689_871_123_456_789

    /// The wall clock, derived from the stream's clock. It does not advance unless the test steps it.
    private final class Clocks: Sendable {
        private let reading: Mutex<ClockReading>

        init(_ monotonic: Int64) {
            reading = Mutex(
                ClockReading(
                    monotonic: MonotonicTime(nanoseconds: monotonic), unixNanoseconds: SenderReportTests.wall))
        }

        var streamClock: StreamClock { StreamClock { self.reading.withLock { $0 } } }

        func step(by nanoseconds: Int64) {
            reading.withLock {
                $0 = ClockReading(monotonic: $0.monotonic, unixNanoseconds: $0.unixNanoseconds + nanoseconds)
            }
        }
    }

    private static func reports(_ client: inout UDPClient) -> [SenderReport] {
        client.reports().flatMap { compound in
            compound.packets.compactMap { if case .senderReport(let report) = $0 { report } else { nil } }
        }
    }

    /// The capture time of a packet's frame, as a receiver computes it from a report: nanoseconds since 1970.
    private static func capture(of packet: Packet, by report: SenderReport) -> Int64 {
        let ticks = Int64(Int32(bitPattern: packet.header.timestamp &- report.rtpTimestamp))
        return report.ntpTime.unixNanoseconds + ClockRate.video.nanoseconds(inTicks: ticks)
    }

    private static func timestamp(in packet: Packet) -> CaptureTimestamp? {
        H264Peek.userData(in: packet.payload.rawSpan).lazy.compactMap { CaptureTimestamp($0) }.first
    }

    @Test(arguments: [0, 1, 7_777_777, 123_456_789_012_345] as [Int64])
    func allReportsAndTimestampsGiveTheSameCaptureTime(_ epoch: Int64) throws {
        let broadcast = Broadcast(clock: Clocks(epoch).streamClock)
        broadcast.stream.captureTimeSEI = .all
        var client = try UDPClient(usesGSO: true)
        #expect(broadcast.start(client.viewer, mode: .keyframe))
        for number in 0..<150 {
            broadcast.publish(idr: number % 50 == 0, byteCount: 700, isEncodedHere: true)
            broadcast.turn(after: 40)
        }
        let reports = Self.reports(&client)
        let stamped = client.packets().compactMap { packet in Self.timestamp(in: packet).map { (packet, $0) } }
        #expect(reports.count == 3 && stamped.count == 150)
        for (number, (packet, timestamp)) in stamped.enumerated() {
            #expect(timestamp.frameNumber == UInt32(number))
            #expect(timestamp.wallClock == NTPTime(unixNanoseconds: Self.wall + Int64(number) * 40_000_000))
            for report in reports {
                let difference = Self.capture(of: packet, by: report) - timestamp.wallClock.unixNanoseconds
                // A report may lie between two ticks of 11 µs.
                #expect((0...11_112).contains(difference), "\(difference) ns")
            }
        }
    }

    @Test func aStepOfTheWallClockReachesTheViewersOfAllLoopsInTheirNextRound() throws {
        let clocks = Clocks(1_000_000_000)
        let broadcast = Broadcast(clock: clocks.streamClock)
        let otherLoop = DeliveryLoop(options: .init(), waker: IdleWaker(), at: broadcast.now)
        var one = try UDPClient(usesGSO: true)
        var other = try UDPClient(usesGSO: true)
        #expect(broadcast.start(one.viewer, mode: .keyframe))
        #expect(otherLoop.join(other.viewer, stream: broadcast.stream, options: JoinOptions(), at: broadcast.now))
        otherLoop.start(other.viewer, at: broadcast.now)
        func round() {
            broadcast.turn(after: 500)
            _ = otherLoop.turn(at: broadcast.now)
        }
        round()
        #expect(Self.reports(&one).count == 1 && Self.reports(&other).count == 1, "the report at the start")
        clocks.step(by: -3_600_000_000_000)
        // The source notices the step first.
        broadcast.publish(idr: true, byteCount: 700, isEncodedHere: true)
        round()
        for reports in [Self.reports(&one), Self.reports(&other)] {
            let report = try #require(reports.first)
            #expect(reports.count == 1)
            let expected = NTPTime(unixNanoseconds: Self.wall - 3_600_000_000_000 + 1_000_000_000)
            #expect(report.ntpTime == expected)
        }
        let packet = try #require(one.packets().first)
        #expect(Self.timestamp(in: packet)?.wallClock == NTPTime(unixNanoseconds: Self.wall - 3_600_000_000_000))
        round()
        #expect(Self.reports(&one).isEmpty && Self.reports(&other).isEmpty, "it is reported once")
    }

    @Test func aViewerThatJoinsAfterAStepGetsTheNewTimeAtOnce() throws {
        let clocks = Clocks(1_000_000_000)
        let broadcast = Broadcast(clock: clocks.streamClock)
        clocks.step(by: 3_600_000_000_000)
        var client = try UDPClient(usesGSO: true)
        #expect(broadcast.start(client.viewer, mode: .keyframe))
        #expect(Self.reports(&client).map(\.ntpTime) == [NTPTime(unixNanoseconds: Self.wall + 3_600_000_000_000)])
    }
}

private final class IdleWaker: Waker {
    func wake() {}
}
