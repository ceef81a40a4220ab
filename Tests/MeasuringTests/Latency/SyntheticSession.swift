import Media
import RTSPClient

@testable import Measuring

/// A made-up session: frames every 33⅓ ms, each captured `delay` before its last packet came.
struct SyntheticSession {
    /// This host's wall clock less its monotonic clock.
    static let wallClockOffset: Int64 = 1_790_000_000_000_000_000
    static let interval: Int64 = 33_333_333
    static let ticks: UInt32 = 3_000

    var count = 90
    var firstTimestamp = UInt32.max - 100_000
    /// Nanoseconds from capture to the last packet, by frame.
    var delay: (Int) -> Int64 = { _ in 5_000_000 }
    /// Nanoseconds from the last packet until it is decoded; `nil` where it is not.
    var decoding: (Int) -> Int64? = { _ in 2_000_000 }
    var isKey: (Int) -> Bool = { $0 % 30 == 0 }
    var isWhole: (Int) -> Bool = { _ in true }
    /// What the frame's SEI says, given when it was captured.
    var stamp: (Int, MonotonicTime) -> CaptureTimestamp? = { _, _ in nil }

    func captured(_ number: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000_000 + Int64(number) * Self.interval)
    }

    func timestamp(_ number: Int) -> UInt32 { firstTimestamp &+ UInt32(number) &* Self.ticks }

    func frame(_ number: Int) -> ReceivedFrame {
        let arrival = captured(number) + delay(number)
        return ReceivedFrame(
            timestamp: timestamp(number), firstPacket: arrival + -300_000, lastPacket: arrival,
            packetByteCount: 7_000, packetCount: 6, isKey: isKey(number), isWhole: isWhole(number),
            stamp: stamp(number, captured(number)), decoded: decoding(number).map { arrival + $0 })
    }

    /// A report that came `delivery` after it was sent at the instant of frame `number`'s capture, by a wall clock that is
    /// `ahead` of ours.
    func report(_ number: Int, delivery: Int64 = 200_000, ahead: Int64 = 0) -> ReceivedReport {
        let sent = captured(number)
        return ReceivedReport(
            time: NTPTime(unixNanoseconds: sent.nanoseconds + Self.wallClockOffset + ahead),
            timestamp: timestamp(number), arrival: sent + delivery)
    }

    /// An honest stamp of a sender on this machine.
    static func honest(_ number: Int, _ captured: MonotonicTime) -> CaptureTimestamp {
        CaptureTimestamp(
            frameNumber: UInt32(number), wallClock: NTPTime(unixNanoseconds: captured.nanoseconds + wallClockOffset),
            monotonic: captured, encodingBegins: 300, encodingEnds: 3_300)
    }

    /// All frames live.
    func recording(reports: [ReceivedReport] = []) -> Recording {
        let opened = captured(0) + -50_000_000
        var recording = Recording(opened: opened)
        recording.connected = opened + 1_000_000
        recording.played = opened + 4_000_000
        recording.firstPacket = opened + 5_000_000
        recording.firstDecodable = opened + 5_500_000
        recording.firstDecoded = opened + 9_000_000
        recording.encodingName = "H264"
        recording.isDecoded = true
        recording.frames = (0..<count).map(frame)
        recording.firstLive = 0
        recording.videoReports = reports
        recording.wallClockOffset = Self.wallClockOffset
        recording.wallClockOffsetAtEnd = Self.wallClockOffset
        recording.roundTrip = 1_000_000
        return recording
    }

    func measurement(reports: [ReceivedReport] = [], isOwnAddress: Bool = true) throws -> MeasuredStream {
        var plan = MeasurePlan(session: try SessionPlan("rtsp://127.0.0.1:8554/cam", transport: .udp), seconds: 3)
        plan.isOwnAddress = isOwnAddress
        return MeasuredStream(plan, recording(reports: reports))
    }
}
