import Media
import RTP
import RTSP
import Reactor
import SDP
import Testing

@testable import RTSPClient

@Suite struct TrackReceptionTests {
    static let now = MonotonicTime(nanoseconds: 1_000_000_000)

    static func reception(_ lines: String = "", profile: String = "RTP/AVP") throws -> TrackReception {
        let text = """
            v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=cam\r\nt=0 0\r\n\
            m=video 0 \(profile) 96\r\na=rtpmap:96 H264/90000\r\n\(lines)
            """
        let track = try #require(try SessionDescription(parsing: text).media[0].describedTrack)
        return TrackReception(track, sockets: nil)
    }

    static func packet(type: UInt8 = 96, source: UInt8, number: UInt8, payload: [UInt8] = [0x65, 0x88]) -> [UInt8] {
        [0x80, type, 0, number, 0, 0, 0, 1, 0, 0, 0, source] + payload
    }

    @Test func theFirstSourceBecomesTheTracksSource() throws {
        var reception = try Self.reception()
        #expect(Self.accepts(&reception, Self.packet(source: 1, number: 1)))
        #expect(!Self.accepts(&reception, Self.packet(source: 2, number: 2)))
        #expect(Self.accepts(&reception, Self.packet(source: 1, number: 2)))
    }

    @Test func packetsForAFormerViewerAreNotCounted() throws {
        var reception = try Self.reception()
        reception.begin(over: .datagrams(server: nil), ssrc: 7)
        #expect(!Self.accepts(&reception, Self.packet(source: 1, number: 1)))
        #expect(Self.accepts(&reception, Self.packet(source: 7, number: 1)))
    }

    @Test func otherPayloadTypesAndInvalidPacketsAreIgnored() throws {
        var reception = try Self.reception()
        #expect(!Self.accepts(&reception, Self.packet(type: 97, source: 1, number: 1)))
        #expect(!Self.accepts(&reception, [0x80, 96, 0]))
        #expect(!Self.accepts(&reception, []))
    }

    /// RFC 4585, section 4.2. A server that offers no feedback may answer it with an error, or end the session.
    @Test(arguments: [
        ("a=rtcp-fb:96 nack pli\r\n", true), ("a=rtcp-fb:* ccm fir\r\n", true), ("a=RTCP-FB:96 nack pli \r\n", true),
        ("a=rtcp-fb:97 nack pli\r\n", false), ("a=rtcp-fb:96 nack\r\n", false), ("", false),
    ])
    func keyframesAreRequestedIfTheDescriptionOffersIt(lines: String, isOffered: Bool) throws {
        var reception = try Self.reception(lines)
        let early = reception.keyframeRequest(from: SSRC(9))
        #expect(early == nil)
        #expect(Self.accepts(&reception, Self.packet(source: 1, number: 1)))
        let request = reception.keyframeRequest(from: SSRC(9))
        #expect((request != nil) == isOffered)
        guard let request else { return }
        let expected = Feedback(sender: SSRC(9), request: .pictureLossIndication(media: SSRC(1)))
        #expect(try Compound(parsing: request.span.bytes).packets.contains(.feedback(expected)))
    }

    /// RFC 4585, section 4.2. An RTP stream of its own for what is sent again (RFC 4588) is not received.
    @Test(
        arguments: [
            ("RTP/AVPF", "a=rtcp-fb:96 nack\r\n", true), ("RTP/AVPF", "a=rtcp-fb:* nack\r\n", true),
            ("RTP/AVPF", "a=rtcp-fb:96 nack pli\r\n", false), ("RTP/AVP", "a=rtcp-fb:96 nack\r\n", false),
            ("RTP/AVPF", "a=rtcp-fb:96 nack\r\na=rtpmap:97 rtx/90000\r\na=fmtp:97 apt=96\r\n", false),
            ("RTP/AVPF", "", false),
        ] as [(String, String, Bool)])
    func lostPacketsAreRequestedIfTheServerSendsThemAgain(profile: String, lines: String, isRequested: Bool) throws {
        var reception = try Self.reception(lines, profile: profile)
        reception.begin(over: .datagrams(server: SocketAddress("192.0.2.1", port: 7)), ssrc: nil)
        reception.requestMissing(patience: 100_000_000, roundTrip: 1_000_000)
        for number in [1, 2, 4] as [UInt8] { #expect(Self.accepts(&reception, Self.packet(source: 1, number: number))) }
        let due = reception.nextRequest
        let request = reception.retransmissionRequest(from: SSRC(9), at: due)
        #expect((request != nil) == isRequested)
        guard let request else { return #expect(due == .distantFuture) }
        let lost = Feedback.LostPackets(first: SequenceNumber(3))
        let expected = Feedback(sender: SSRC(9), request: .genericNACK(media: SSRC(1), [lost]))
        #expect(try Compound(parsing: request.span.bytes).packets.contains(.feedback(expected)))
        #expect(Self.origin(&reception, Self.packet(source: 1, number: 3), after: 10_000_000) == .repair)
        #expect(Self.origin(&reception, Self.packet(source: 1, number: 3), after: 11_000_000) == .needlessRepair)
        #expect(reception.statistics.reorderedCount == 0 && reception.statistics.cumulativeLost == 0)
    }

    @Test func nothingIsRequestedOverTCP() throws {
        var reception = try Self.reception("a=rtcp-fb:96 nack\r\n", profile: "RTP/AVPF")
        reception.begin(over: .interleaved(ChannelPair(number: 0)), ssrc: nil)
        reception.requestMissing(patience: 100_000_000, roundTrip: nil)
        for number in [1, 2, 4] as [UInt8] { #expect(Self.accepts(&reception, Self.packet(source: 1, number: number))) }
        #expect(reception.nextRequest == .distantFuture)
    }

    @Test func aReportContainsTheSourceAndTheLastSenderReport() throws {
        var reception = try Self.reception()
        let early = reception.report(from: SSRC(9), at: Self.now)
        #expect(early == nil)
        for number in 1...4 as ClosedRange<UInt8> {
            #expect(Self.accepts(&reception, Self.packet(source: 1, number: number)))
        }
        let sent = SenderReport(
            ssrc: SSRC(1), ntpTime: NTPTime(unixNanoseconds: 1_000), rtpTimestamp: 5, packetCount: 4, octetCount: 8)
        let datagram = Compound(report: sent, canonicalName: "server").encoded()
        let received = reception.senderReport(in: datagram.span.bytes, arrival: Self.now)
        #expect(received == sent)
        let answer = reception.report(from: SSRC(9), at: Self.now)
        let bytes = try #require(answer)
        guard case .receiverReport(let report)? = try Compound(parsing: bytes.span.bytes).packets.first else {
            Issue.record("a compound begins with the report")
            return
        }
        #expect(report.ssrc == SSRC(9))
        #expect(report.blocks.map(\.ssrc) == [SSRC(1)])
        #expect(report.blocks.map(\.lastSenderReport) == [sent.ntpTime.middle])
    }

    /// Payloads, and whether an IDR slice begins in them.
    static let payloads: [(payload: [UInt8], beginsIDR: Bool)] = [
        ([0x65, 0x88], true),
        ([0x41, 0x9A], false),
        ([0x7C, 0x85, 0x88], true),
        ([0x7C, 0x05, 0x88], false),
        ([0x7C, 0x81, 0x88], false),
        ([0x78, 0, 2, 0x67, 0x42, 0, 2, 0x65, 0x88], true),
        ([0x78, 0, 2, 0x67, 0x42, 0, 2, 0x68, 0xCE], false),
        ([0x78, 0xFF, 0xFF, 0x65], false),
        ([0x65], false),
        ([], false),
    ]

    @Test(arguments: payloads)
    func idrSlicesAreDetectedAtTheirStart(_ row: (payload: [UInt8], beginsIDR: Bool)) throws {
        let reception = try Self.reception()
        let beginsIDR = reception.beginsKeyframe(row.payload.span.bytes)
        #expect(beginsIDR == row.beginsIDR)
    }

    private static func origin(
        _ reception: inout TrackReception, _ packet: [UInt8], after nanoseconds: Int64
    ) -> PacketOrigin? {
        reception.accept(packet.span.bytes, arrival: now + nanoseconds)?.origin
    }

    private static func accepts(_ reception: inout TrackReception, _ packet: [UInt8]) -> Bool {
        reception.accept(packet.span.bytes, arrival: now) != nil
    }
}
