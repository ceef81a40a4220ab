import Media
import RTP
import SDP
import Testing
import WebRTC
import Wire

@testable import WebRTCClient

/// The reception of one track: lost packets and keyframes, in virtual time.
struct TrackPlaybackTests {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000)

    /// A video track with retransmissions, as the answer of a server describes it.
    private func track(patience: Int64? = 100_000_000) throws -> TrackPlayback {
        TrackPlayback(try #require(Samples.agreement().tracks.first), patience: patience, roundTrip: 10_000_000)
    }

    private func packet(_ number: UInt16, type: UInt8 = 96, ssrc: UInt32 = 1, _ payload: [UInt8]) -> [UInt8] {
        let header = Header(
            payloadType: PayloadType(lowBitsOf: type), isMarked: true, sequenceNumber: SequenceNumber(number),
            timestamp: 3_000, ssrc: SSRC(ssrc))
        var writer = ByteWriter()
        header.write(to: &writer)
        writer.append(payload)
        return writer.bytes
    }

    /// The feedback in RTCP packets.
    private func feedback(_ packets: [[UInt8]]) throws -> [Feedback.Request] {
        var requests: [Feedback.Request] = []
        for packet in packets {
            for case .feedback(let feedback) in try Compound(parsing: packet.rawSpan).packets {
                requests.append(feedback.request)
            }
        }
        return requests
    }

    @Test func aLostPacketIsRequestedAndComesInItsOwnStream() throws {
        var track = try track()
        let key: [UInt8] = [0x65, 0x88]
        for number: UInt16 in [10, 11, 13] {
            let bytes = packet(number, key)
            let origin = track.accept(bytes, arrival: start)
            #expect(origin == .original)
            _ = track.beginsKeyframe(key)
        }
        let due = track.nextRequest
        #expect(due > start && due <= start.advanced(byMilliseconds: 5))
        let requests = try feedback(track.requests(from: SSRC(7), at: due))
        #expect(requests == [.genericNACK(media: SSRC(1), [.init(first: SequenceNumber(12))])])
        let again = packet(500, type: 97, ssrc: 2, [0, 12] + key)
        #expect(track.isRetransmission(PayloadType(lowBitsOf: 97)))
        let original = try #require(track.original(in: again))
        #expect(original == packet(12, key))
        let origin = track.accept(original, arrival: due.advanced(byMilliseconds: 10))
        #expect(origin == .repair)
    }

    @Test func withoutPatienceNothingIsRequested() throws {
        var track = try track(patience: nil)
        for number: UInt16 in [10, 13] { _ = track.accept(packet(number, [0x65, 0x88]), arrival: start) }
        _ = track.beginsKeyframe([0x65, 0x88])
        #expect(track.nextRequest == .distantFuture)
    }

    @Test func aKeyframeIsRequestedUntilOneBegins() throws {
        var track = try track()
        #expect(track.awaitsKeyframe && track.nextRequest == .distantFuture)
        _ = track.accept(packet(1, [0x41, 0x9A]), arrival: start)
        let isKeyframe = track.beginsKeyframe([0x41, 0x9A])
        #expect(!isKeyframe)
        for milliseconds: Int64 in [500, 1_000] {
            let due = start.advanced(byMilliseconds: milliseconds)
            #expect(track.nextRequest == due)
            let requests = try feedback(track.requests(from: SSRC(7), at: due))
            #expect(requests == [.pictureLossIndication(media: SSRC(1))])
        }
        _ = track.beginsKeyframe([0x65, 0x88])
        #expect(!track.awaitsKeyframe && track.nextRequest == .distantFuture)
    }
}

// Expectations take arrays, because a macro cannot take a span.

extension TrackPlayback {
    fileprivate mutating func accept(_ packet: [UInt8], arrival: MonotonicTime) -> PacketOrigin? {
        accept(packet.rawSpan, arrival: arrival)?.origin
    }

    fileprivate mutating func beginsKeyframe(_ payload: [UInt8]) -> Bool { beginsKeyframe(payload.rawSpan) }

    fileprivate func original(in packet: [UInt8]) -> [UInt8]? { original(in: packet.rawSpan) }
}
