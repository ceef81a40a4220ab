import Media
import RTP
import RTSPClient
import SDP
import Testing

@testable import Measuring

/// The counters of one viewer.
struct ViewerRecordTests {
    /// A viewer of one track, after five packets of different times without a marker.
    private func viewer(kind: String, encoding: String) throws -> ViewerRecord {
        let line = MediaDescription(
            kind: kind, port: 0, transport: "RTP/AVP", formats: ["111"],
            attributes: [Attribute("rtpmap", "111 \(encoding)")])
        let viewer = ViewerRecord(.steady, opened: MonotonicTime(nanoseconds: 0))
        viewer.described([try #require(line.describedTrack)])
        let payload: [UInt8] = [1, 2, 3]
        for number: UInt16 in 0..<5 {
            let header = Header(
                payloadType: PayloadType(lowBitsOf: 111), isMarked: false, sequenceNumber: SequenceNumber(number),
                timestamp: 960 * UInt32(number), ssrc: SSRC(1))
            let packet = ReceivedPacket(
                track: 0, header: header, isKeyframe: true, arrival: MonotonicTime(nanoseconds: Int64(number)),
                byteCount: 15, payload: payload.span.bytes)
            _ = viewer.received(packet, lateNanoseconds: .max)
        }
        return viewer
    }

    /// Senders mark only the first packet after silence (RFC 7587, section 4.1; RFC 3551, section 4.1).
    @Test(arguments: ["opus/48000/2", "PCMA/8000"])
    func eachPacketOfAudioWithoutFragmentsIsAUnit(_ encoding: String) throws {
        let units = try viewer(kind: "audio", encoding: encoding).tracks[0].units
        #expect(units.whole == 5 && units.broken == 0)
    }

    @Test func aFrameWithoutItsMarkerIsBroken() throws {
        let units = try viewer(kind: "video", encoding: "H264/90000").tracks[0].units
        #expect(units.whole == 0 && units.broken == 4)
    }
}
