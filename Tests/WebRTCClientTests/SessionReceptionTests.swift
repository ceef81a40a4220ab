import Media
import RTP
import TestSupport
import Testing
import Wire

@testable import WebRTCClient

/// The feedback of a session about the packets of its transport, in virtual time.
struct SessionReceptionTests {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000)

    /// A packet with a number of the transport.
    private func packet(
        transport: UInt16, type: UInt8 = 96, ssrc: UInt32 = 1, _ payload: [UInt8], padding: UInt8 = 0
    ) -> [UInt8] {
        let numbering = Header.Extension(
            profile: 0xBEDE, data: [0x31, UInt8(transport >> 8), UInt8(truncatingIfNeeded: transport), 0])
        let header = Header(
            payloadType: PayloadType(lowBitsOf: type), isMarked: false, sequenceNumber: SequenceNumber(transport),
            timestamp: 3_000, ssrc: SSRC(ssrc), headerExtension: numbering)
        var writer = ByteWriter()
        header.write(to: &writer)
        writer.append(payload)
        guard padding > 0 else { return writer.bytes }
        writer.append([UInt8](repeating: 0, count: Int(padding) - 1) + [padding])
        var bytes = writer.bytes
        bytes[0] |= 0x20
        return bytes
    }

    /// RTX, padding of it, padding of the media, and an unannounced source.
    @Test func eachPacketOfTheTransportIsReported() throws {
        let plan = try PlaybackPlan(HTTPAddress(isSecure: false, host: "127.0.0.1", port: 1, target: "/"))
        let reception = SessionReception(
            try Samples.agreement(), from: SSRC(7), plan, roundTrip: nil, at: start)
        let packets = [
            packet(transport: 10, [0x65, 0x88]), packet(transport: 11, type: 97, ssrc: 2, [0, 9, 0x65, 0x88]),
            packet(transport: 12, type: 97, ssrc: 2, [], padding: 100), packet(transport: 13, [], padding: 100),
            packet(transport: 15, type: 100, ssrc: 3, [1, 2, 3]),
        ]
        for bytes in packets { reception.received(decrypted: bytes.rawSpan, arrival: start) { _ in } }
        var reported: [SequenceNumber] = []
        for report in reception.reportsDue(at: start.advanced(byMilliseconds: 100)) {
            for case .feedback(let feedback) in try Compound(parsing: report.rawSpan, allowsReducedSize: true).packets {
                guard case .transportWide(_, let arrivals) = feedback.request else { continue }
                reported += arrivals.arrivedNumbers
            }
        }
        #expect(reported == [10, 11, 12, 13, 15].map { SequenceNumber($0) })
    }
}

extension TransportFeedback {
    fileprivate var arrivedNumbers: [SequenceNumber] {
        arrivals.indices.filter { arrivals[$0] != nil }.map { base.advanced(by: $0) }
    }
}
