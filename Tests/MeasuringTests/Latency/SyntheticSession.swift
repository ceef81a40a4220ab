import Media
import RTSPClient

@testable import Measuring

/// A synthetic session with frames every 33⅓ ms, each captured `delay` before the arrival of its last packet.
struct SyntheticSession {
    /// This host's wall clock less its monotonic clock.
    static let wallClockOffset: Int64 = 1_790_000_000_000_000_000
    static let interval: Int64 = 33_333_333
    static let ticks: UInt32 = 3_000

    var count = 90
    var firstTimestamp = UInt32.max - 100_000
    /// Nanoseconds from capture to the last packet, by frame number.
    var delay: (Int) -> Int64 = { _ in 5_000_000 }
    /// Nanoseconds from the last packet to the decoded frame; `nil` if the frame is not decoded.
    var decoding: (Int) -> Int64? = { _ in 2_000_000 }
    var isKey: (Int) -> Bool = { $0 % 30 == 0 }
    var isWhole: (Int) -> Bool = { _ in true }
    /// The frame's SEI, by frame number and capture time.
    var captureTimestamp: (Int, MonotonicTime) -> CaptureTimestamp? = { _, _ in nil }

    func captured(_ number: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000_000 + Int64(number) * Self.interval)
    }

    func timestamp(_ number: Int) -> UInt32 { firstTimestamp &+ UInt32(number) &* Self.ticks }

    func frame(_ number: Int) -> ReceivedFrame {
        let arrival = captured(number) + delay(number)
        return ReceivedFrame(
            timestamp: timestamp(number), firstPacket: arrival + -300_000, lastPacket: arrival,
            packetByteCount: 7_000, packetCount: 6, isKey: isKey(number), isWhole: isWhole(number),
            captureTimestamp: captureTimestamp(number, captured(number)), decoded: decoding(number).map { arrival + $0 }
        )
    }

    /// A report that was sent when frame `number` was captured, by a wall clock that is `ahead` of this host's, and that arrived
    /// `delivery` later.
    func report(_ number: Int, delivery: Int64 = 200_000, ahead: Int64 = 0) -> ReceivedReport {
        let sent = captured(number)
        return ReceivedReport(
            time: NTPTime(unixNanoseconds: sent.nanoseconds + Self.wallClockOffset + ahead),
            timestamp: timestamp(number), arrival: sent + delivery)
    }

    /// A correct SEI of a sender on this machine.
    static func correct(_ number: Int, _ captured: MonotonicTime) -> CaptureTimestamp {
        CaptureTimestamp(
            frameNumber: UInt32(number), wallClock: NTPTime(unixNanoseconds: captured.nanoseconds + wallClockOffset),
            monotonic: captured, encodingBegins: 300, encodingEnds: 3_300)
    }

    /// A recording in which all frames are live.
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
        var plan = MeasurePlan(.rtsp(try SessionPlan("rtsp://127.0.0.1:8554/cam", transport: .udp)), seconds: 3)
        plan.isOwnAddress = isOwnAddress
        return MeasuredStream(plan, recording(reports: reports))
    }
}
