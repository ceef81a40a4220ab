import Foundation
import Media
import RTP
import TestSupport
import Testing

/// The forms in which programs and cameras send reports, as bytes, in virtual time with a seed. Frames come 30 ms after their capture,
/// and the sender's clock is 1000 s wrong.
struct ReportFormTests {
    private static let second: Int64 = 1_000_000_000
    private static let millisecond: Int64 = 1_000_000
    private static let media = SSRC(0x1000)
    private static let sets = H264.ParameterSets(
        sequence: [Array(Data(base64Encoded: "Z2QAH6y0AoAt2AiAAAADAIAAAB5HjBlQ")!)],
        picture: [[0x68, 0xEF, 0x0F, 0xCB]])!

    struct Sender: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var firstReport: Int64 = 0
        var interval: Int64 = 5 * second
        let datagrams: @Sendable (SenderReport) -> [[UInt8]]
    }

    private static func bare(_ report: SenderReport) -> [UInt8] { Compound([.senderReport(report)]).encoded() }

    static let senders: [Sender] = [
        Sender(testDescription: "ffmpeg: a report alone, the first before any packet") { [bare($0)] },
        Sender(
            testDescription: "GStreamer: the first report 2.4 s late, and receiver reports of another source",
            firstReport: 2_400 * millisecond
        ) { report in
            [
                Compound(report: ReceiverReport(ssrc: SSRC(77)), canonicalName: "user").encoded(),
                Compound(report: report, canonicalName: "user").encoded(),
            ]
        },
        Sender(testDescription: "RootEncoder: a report alone every 3 s", interval: 3 * second) { [bare($0)] },
        Sender(testDescription: "ZLMediaKit: the report of the next source, and its description apart") { report in
            let source = SSRC(report.ssrc.rawValue + 1)
            let moved = SenderReport(
                ssrc: source, ntpTime: report.ntpTime, rtpTimestamp: report.rtpTimestamp, packetCount: 0, octetCount: 0)
            let description = SourceDescription(ssrc: source, canonicalName: "zl")
            return [bare(moved), Compound([.sourceDescription(description)]).encoded()]
        },
        Sender(testDescription: "Hanwha: a description without its last zero") { report in
            [bare(report) + [0x81, 202, 0, 2, 0, 0, 0x10, 0, 1, 2, 65, 66]]
        },
        Sender(testDescription: "Tapo: reports of sources that send no media besides") { report in
            let other = SenderReport(
                ssrc: SSRC(5), ntpTime: NTPTime(unixNanoseconds: 1), rtpTimestamp: 9, packetCount: 0, octetCount: 0)
            return [bare(report), bare(other)]
        },
    ]

    @Test(arguments: senders, [true, false])
    func noFrameIsCapturedAfterItsArrivalAndTheReportsAreUsed(_ sender: Sender, inConnection: Bool) {
        var admission = TrackAdmission(payloadType: 96, clockRate: .video, announced: nil, isPrivate: inConnection)
        var stream = ReceivedStream(
            .tracks([.init(clockRate: .video, format: .described(.h264(Self.sets)))]),
            epoch: MonotonicTime(nanoseconds: 0))
        var random = SplitMix64(seed: 11)
        var (nextReport, arrival, ages) = (sender.firstReport, Int64(0), [Int64]())
        for number in 0..<(120 * 25) as Range<Int64> {
            let captured = number * 40 * Self.millisecond
            while nextReport <= captured + 30 * Self.millisecond {
                for bytes in sender.datagrams(Self.report(at: nextReport)) {
                    let now = MonotonicTime(nanoseconds: max(arrival, nextReport + Self.millisecond))
                    // Both may come at the port or channel of the other.
                    let isMedia = admission.accepts(bytes, arrival: now)
                    #expect(!isMedia)
                    guard let compound = try? Compound(parsing: bytes.rawSpan, allowsReducedSize: true),
                        let report = admission.senderReport(in: compound, arrival: now)
                    else { continue }
                    stream.received(report, track: 0, arrival: now, hostOffset: -1_700_000_000 * Self.second)
                }
                nextReport += sender.interval
            }
            arrival = max(arrival, captured + Int64.random(in: 30...34, using: &random) * Self.millisecond)
            let now = MonotonicTime(nanoseconds: arrival)
            let packet = Self.packet(number, captured)
            guard let (header, payload, _) = admission.accept(packet.rawSpan, arrival: now) else {
                Issue.record("packet \(number) is not taken")
                return
            }
            stream.received(packet.rawSpan.extracting(payload), header: header, track: 0, arrival: now)
            while let output = stream.next() {
                guard case .publish(let unit) = output else { continue }
                ages.append(arrival - unit.presentationTime.nanoseconds)
            }
        }
        #expect(ages.count == 120 * 25)
        // Presentation times are whole ticks.
        #expect(ages.allSatisfy { (-12_000...500 * Self.millisecond).contains($0) })
        #expect(stream.timeline.origin(track: 0) == .senderReports)
        // The reports came within a millisecond, so the frames' 30 ms on the way are known.
        #expect(ages.suffix(1_000).allSatisfy { abs($0 - 32 * Self.millisecond) < 5 * Self.millisecond })
    }

    /// Audio and video of WebRTC come over one transport, each with reports of its own.
    @Test(arguments: [nil, media]) func bundledTracksTakeOnlyTheirOwnReports(announced: SSRC?) throws {
        var admission = TrackAdmission(
            payloadType: 96, clockRate: .video, announced: announced, isPrivate: true, isBundled: true)
        let own = Self.report(at: 0)
        let other = SenderReport(
            ssrc: SSRC(5), ntpTime: own.ntpTime, rtpTimestamp: 9, packetCount: 0, octetCount: 0)
        let now = MonotonicTime(nanoseconds: 0)
        func taken(_ reports: SenderReport..., at time: MonotonicTime) -> SSRC? {
            admission.senderReport(in: Compound(reports.map { .senderReport($0) }), arrival: time)?.ssrc
        }
        #expect(taken(other, at: now) == nil)
        // Before the first packet, the track knows its source only if the peer has announced it.
        #expect(taken(own, at: now) == announced)
        let isMedia = admission.accepts(Self.packet(0, 0), arrival: now)
        #expect(isMedia)
        let late = now.advanced(byMilliseconds: 60_000)
        #expect(taken(other, at: late) == nil)
        #expect(taken(other, own, at: late) == Self.media)
    }

    private static func timestamp(_ instant: Int64) -> UInt32 {
        UInt32(truncatingIfNeeded: ClockRate.video.ticks(inNanoseconds: instant) + 4_294_000_000)
    }

    private static func report(at instant: Int64) -> SenderReport {
        SenderReport(
            ssrc: media, ntpTime: NTPTime(unixNanoseconds: 1_700_001_000 * second + instant),
            rtpTimestamp: timestamp(instant), packetCount: 0, octetCount: 0)
    }

    /// A frame in one packet, which is a keyframe each second.
    private static func packet(_ number: Int64, _ captured: Int64) -> [UInt8] {
        let time = timestamp(captured)
        let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: time >> UInt32($0)) }
        let count = UInt16(truncatingIfNeeded: number + 65_000)
        return [0x80, 0x80 | 96, UInt8(count >> 8), UInt8(count & 0xFF)] + bytes + [0, 0, 0x10, 0]
            + (number % 25 == 0 ? [0x65, 0x88, 0x81] : [0x41, 0x9A, 0x02])
    }
}

extension TrackAdmission {
    /// Whether the packet is RTP of the track, for the test macros.
    fileprivate mutating func accepts(_ packet: [UInt8], arrival: MonotonicTime) -> Bool {
        accept(packet.rawSpan, arrival: arrival) != nil
    }
}
