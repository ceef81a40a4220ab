import Codecs
import Logging
import Media
import Streams
import TestSupport
import Testing

@testable import Capture

/// What the transcoder of a stream makes of received units.
@Suite struct ReceptionTranscodingTests {
    private let clock = StreamClock(epoch: MonotonicTime(nanoseconds: 0)) {
        ClockReading(monotonic: MonotonicTime(nanoseconds: 0), unixNanoseconds: 0)
    }
    private static let telephony = TranscodedFormat.Audio.l16(sampleRate: .telephony, channelCount: 1)

    private func unit(_ track: Int, _ bytes: [UInt8], ticks: Int64, rate: ClockRate = .video) -> AccessUnit {
        let time = MediaTime(ticks: ticks, rate: rate)
        return AccessUnit(
            track: TrackID(track), presentationTime: time, decodeTime: time, isKeyframe: true, bytes: bytes,
            units: [0..<bytes.count])
    }

    private func frame(_ ticks: Int64) -> AccessUnit { unit(0, JPEGSample.bytes, ticks: ticks) }

    /// A run, and what it has passed on.
    private final class Outputs {
        private(set) var story: [String] = []
        private(set) var units: [AccessUnit] = []
        private(set) var tracks: [Track] = []

        func take(_ order: ReceptionQueue.Order) {
            switch order {
            case .announce(let tracks):
                self.tracks = tracks
                story.append("announce " + tracks.map { "\($0.id.index):\($0.codec)" }.joined(separator: " "))
            case .publish(let unit):
                units.append(unit)
                story.append("\(unit.track.index)\(unit.isKeyframe ? " key" : "")")
            }
        }
    }

    @Test func framesBecomeH264WithTheirTimes() throws {
        let outputs = Outputs()
        let transcoding = ReceptionTranscoding(EncodingSettings(), log: .silent)
        let run = TranscodingRun([TrackID(0): .motionJPEG(size: nil)], transcoding, clock: clock) { outputs.take($0) }
        run.take(.announce([]))
        run.take(.publish(unit(0, [1, 2, 3], ticks: 100)))
        #expect(outputs.story.isEmpty, "a damaged frame is none")
        for ticks in [9_000, 18_003, 21_000, 50_000] as [Int64] { run.take(.publish(frame(ticks))) }
        #expect(outputs.story == ["announce 0:h264", "0 key", "0", "0", "0"])
        #expect(outputs.units.map(\.presentationTime.ticks) == [9_000, 18_003, 21_000, 50_000])
        let track = try #require(outputs.tracks.first)
        guard case .h264(let sets) = track.format else {
            Issue.record("\(track)")
            return
        }
        let set = try #require(H264.SequenceParameterSet(parsing: sets.sequence[0]))
        #expect((set.width, set.height) == (JPEGSample.width, JPEGSample.height))
        #expect(transcoding.status?.pictureCount == 4)
        transcoding.requestKeyframe()
        run.take(.publish(frame(60_000)))
        #expect(outputs.story.last == "0 key")
    }

    /// The times of both tracks come from the same clock, so they stay together.
    @Test func audioWaitsForTheFirstFrame() throws {
        let outputs = Outputs()
        let formats: [TrackID: TranscodedFormat] = [
            TrackID(0): .motionJPEG(size: nil), TrackID(1): .audio(Self.telephony),
        ]
        let run = TranscodingRun(formats, ReceptionTranscoding(EncodingSettings(), log: .silent), clock: clock) {
            outputs.take($0)
        }
        run.take(.announce([]))
        #expect(outputs.story.isEmpty)
        run.take(.publish(frame(0)))
        #expect(outputs.story == ["announce 0:h264 1:aac", "0 key"])
        for index in 0..<50 as Range<Int64> {
            run.take(.publish(unit(1, [UInt8](repeating: 0, count: 320), ticks: index * 160, rate: .telephony)))
        }
        let audio = outputs.units.filter { $0.track == TrackID(1) }
        #expect(audio.count >= 42)
        #expect(audio.first?.presentationTime == MediaTime(ticks: 0, rate: .audio48k))
    }

    @Test func tracksThatViewersReceiveAreNotChanged() throws {
        let outputs = Outputs()
        let opus = Track(id: TrackID(0), format: .opus(channelCount: 2))
        let run = TranscodingRun(
            [TrackID(1): .audio(.g722)], ReceptionTranscoding(EncodingSettings(), log: .silent), clock: clock
        ) { outputs.take($0) }
        run.take(.announce([opus]))
        run.take(.publish(unit(0, [0xF8, 1, 2], ticks: 7, rate: .audio48k)))
        #expect(outputs.story == ["announce 0:opus 1:aac", "0 key"])
        #expect(outputs.units.map(\.bytes) == [[0xF8, 1, 2]])
    }

    /// An encoder that does not exist takes only its track with it.
    @Test func aTrackThatCannotBeEncodedIsLeftOut() throws {
        let outputs = Outputs()
        var settings = EncodingSettings()
        settings.audio?.channelCount = 77
        let opus = Track(id: TrackID(0), format: .opus(channelCount: 2))
        let run = TranscodingRun(
            [TrackID(1): .audio(.g722)], ReceptionTranscoding(settings, log: .silent), clock: clock
        ) { outputs.take($0) }
        run.take(.announce([opus]))
        run.take(.publish(unit(1, [1, 2], ticks: 7, rate: .telephony)))
        run.take(.publish(unit(0, [0xF8, 1, 2], ticks: 7, rate: .audio48k)))
        #expect(outputs.story == ["announce 0:opus", "0 key"])
    }

    /// After close, nothing is published, and the thread ends.
    @Test func aTranscoderPublishesUntilItIsClosed() async throws {
        let stream = Streams.Stream(path: "/cam", epoch: .now())
        let transcoding = ReceptionTranscoding(EncodingSettings(), log: .silent)
        let transcoder = try #require(transcoding.begin([TrackID(0): .motionJPEG(size: nil)], into: stream))
        transcoder.announce([])
        for index in 0..<3 as Range<Int64> { transcoder.publish(frame(index * 3_600)) }
        #expect(await eventually(within: 10) { stream.published.pictureCount == 3 })
        #expect(stream.announcement?.tracks.map(\.codec) == [.h264])
        transcoder.close()
        transcoder.publish(frame(50_000))
        #expect(stream.published.pictureCount == 3)
    }
}
