import Delivery
import Media
import RTMPDelivery
import Streams
import Testing

@testable import RTMP

/// When the reception of a publisher of which nothing can be received ends, and with which reason.
@Suite struct ReceptionTests {
    private let videoStart = Message(.video, payload: [0x17, 0, 0, 0, 0] + (h264Sets.decoderConfigurationRecord ?? []))
    private let audioStart = Message(.audio, payload: [0xAF, 0, 0x11, 0x90])
    private let audioFrame = Message(.audio, payload: [0xAF, 1, 0xAA])
    private let keyframe = Message(.video, payload: [0x17, 1, 0, 0, 0, 0, 0, 0, 2, 0x65, 1])
    /// A frame whose NAL unit is longer than the message.
    private let damaged = Message(.video, payload: [0x27, 1, 0, 0, 0, 0, 0, 0, 9, 0x41])
    /// A message of H.264 without a packet type.
    private let malformed = Message(.video, payload: [0x27])
    private let empty = Message(.video, payload: [])

    /// A reception on virtual time, in milliseconds.
    private final class Run {
        let input = StreamInput(
            into: Streams.Stream(path: "/live", epoch: MonotonicTime(nanoseconds: 0)), trust: .auto)
        private let reception: MessageReception
        private(set) var end: MessageReception.End?
        private(set) var endedAt: Int64?
        private var now: Int64 = 0

        init() {
            reception = MessageReception(into: input, silenceSeconds: 10, at: MonotonicTime(nanoseconds: 0))
        }

        /// The messages come again and again, every 100 ms, until a time.
        func receive(_ messages: [Message], until time: Int64) {
            while now < time, end == nil {
                let instant = MonotonicTime(nanoseconds: now * 1_000_000)
                for message in messages where end == nil { end = reception.received(message, at: instant) }
                if end == nil { end = reception.deadlinePassed(at: instant, roundTrip: nil) }
                if end != nil { endedAt = now }
                now += 100
            }
        }
    }

    @Test func aPublisherOfMalformedMessagesIsTold() {
        let run = Run()
        run.receive([malformed], until: 20_000)
        #expect(run.endedAt == 3_000)
        #expect(run.end?.description == "malformed FLV messages: 31")
    }

    @Test func aPublisherWithoutASequenceHeaderIsTold() {
        let video = Run()
        video.receive([keyframe], until: 20_000)
        #expect(video.endedAt == 3_000)
        #expect(video.end?.description == "the video has no sequence header")
        let both = Run()
        both.receive([keyframe, audioFrame, malformed], until: 20_000)
        #expect(
            both.end?.description
                == "the video has no sequence header; the audio has no sequence header; malformed FLV messages: 31")
    }

    @Test func aPublisherWhoseFramesAreDamagedIsTold() {
        let run = Run()
        run.receive([videoStart, damaged], until: 20_000)
        #expect(run.input.stream.announcement != nil)
        #expect(run.endedAt == 3_000)
        #expect(run.end?.description == "malformed FLV messages: 31")
    }

    @Test func anUnsupportedCodecIsNamedFirst() {
        let run = Run()
        // Speex.
        run.receive([Message(.audio, payload: [0xB2, 1, 2]), malformed], until: 20_000)
        #expect(run.endedAt == 3_000)
        #expect(run.end?.description == "Speex is not supported; malformed FLV messages: 31")
    }

    @Test func messagesWithoutMediaDoNotHoldThePath() {
        for messages in [[empty], [videoStart, audioStart]] {
            let run = Run()
            run.receive(messages, until: 20_000)
            #expect(run.endedAt == 10_000)
            #expect(run.end == .silence(seconds: 10))
        }
    }

    @Test func aStreamThatBecomesMalformedEndsWithTheReason() {
        let run = Run()
        run.receive([videoStart, audioStart, keyframe, audioFrame], until: 5_000)
        #expect(run.end == nil)
        run.receive([damaged], until: 20_000)
        #expect(run.endedAt == 14_900)
        #expect(run.end?.description == "no media has come for 10 s: malformed FLV messages: 100")
    }

    @Test func aSequenceHeaderMayComeLate() {
        let run = Run()
        run.receive([keyframe, audioFrame], until: 2_500)
        run.receive([videoStart, audioStart, keyframe, audioFrame], until: 30_000)
        #expect(run.end == nil)
        #expect(run.input.status?.leftOut == [])
    }

    @Test func oneTrackThatCannotBeReadIsInTheStatus() {
        let run = Run()
        run.receive([audioStart, audioFrame, keyframe], until: 30_000)
        #expect(run.end == nil)
        #expect(run.input.stream.announcement?.tracks.map(\.kind) == [.audio])
        #expect(run.input.status?.leftOut == ["the video has no sequence header"])
    }
}
