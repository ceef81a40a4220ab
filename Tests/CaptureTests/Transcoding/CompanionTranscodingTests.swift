import Codecs
import Media
import RTP
import Streams
import TestSupport
import Testing

@testable import Capture

/// The stream that viewers of MPEG-TS get in place of one with G.711.
@Suite struct CompanionTranscodingTests {
    private let stream = Streams.Stream(path: "/cam", epoch: MonotonicTime(nanoseconds: 0))
    private let lines = LoggedLines()
    private static let telephony = G711(.a, sampleRate: .telephony, channelCount: 1)!
    private static let opus = Track(id: TrackID(0), format: .opus(channelCount: 2))
    private static let alaw = Track(id: TrackID(1), format: .g711(telephony))

    private func begin(_ mode: TranscodingMode = .auto, _ tracks: [Track] = [opus, alaw]) -> CompanionTranscoding {
        let transcoding = CompanionTranscoding(mode, nil, log: lines.log)
        stream.viewerTranscoding = transcoding
        stream.announce(tracks)
        return transcoding
    }

    private var source: Streams.Stream { stream.stream(for: MPEGTSPackager.self) }

    /// Publishes 20 ms of both tracks.
    private func publish(_ index: Int64) {
        for (track, bytes) in [(Self.opus, [0xF8, 1, 2]), (Self.alaw, [UInt8](repeating: 0xD5, count: 160))] {
            let time = MediaTime(
                ticks: index * Int64(track.clockRate.hertz) / 50, rate: track.clockRate)
            stream.publish(
                AccessUnit(
                    track: track.id, presentationTime: time, decodeTime: time, isKeyframe: true, bytes: bytes,
                    units: [0..<bytes.count]))
        }
    }

    private func history(of stream: Streams.Stream) throws -> [AccessUnit] {
        let feed = try #require(stream.feed(UnitPackager.self, options: 0, for: SilentWaker()))
        return stream.joinPoint(in: feed).history
    }

    @Test func g711BecomesAACAndTheRestIsPassedOn() async throws {
        _ = begin()
        #expect(stream.stream(for: RTPPackager.self) === stream, "viewers of RTP get G.711")
        let companion = source
        #expect(companion !== stream)
        let use = StreamUse(of: companion)
        #expect(await eventually(within: 10) { companion.announcement != nil })
        #expect(companion.announcement?.tracks.map(\.codec) == [.opus, .aac])
        for index in 0..<50 as Range<Int64> { publish(index) }
        // The two tracks come from two threads.
        let isPassedOn = try await eventually(within: 10) {
            let units = try history(of: companion)
            let count = units.count { $0.track == TrackID(0) }
            return count >= 50 && units.count - count >= 40
        }
        #expect(isPassedOn)
        let units = try history(of: companion)
        let passedOn = units.filter { $0.track == TrackID(0) }
        #expect(passedOn.map(\.presentationTime.ticks) == (0..<50).map { $0 * 960 })
        #expect(passedOn.allSatisfy { $0.bytes == [0xF8, 1, 2] })
        let encoded = units.filter { $0.track == TrackID(1) }.map(\.presentationTime.ticks)
        #expect(encoded == (0..<encoded.count).map { Int64($0) * 1024 })
        #expect(encoded.count >= 40)
        withExtendedLifetime(use) {}
    }

    /// However many viewers ask, there is one companion, and so one encoder, which ends after the last of them.
    @Test func oneEncoderServesAllViewers() async throws {
        _ = begin()
        let companion = source
        var uses = [StreamUse(of: companion)]
        for _ in 0..<10 {
            #expect(source === companion)
            uses.append(StreamUse(of: source))
        }
        #expect(await eventually(within: 10) { companion.announcement != nil })
        uses.removeLast(10)
        // Longer than a companion without a viewer runs.
        #expect(!(await eventually(within: 20) { companion.announcement == nil }))
        #expect(lines.all == ["info: track 2 (PCMA) is encoded as AAC for viewers of MPEG-TS"])
        uses = []
        #expect(await eventually(within: 10) { lines.all.count == 2 })
        #expect(companion.announcement == nil)
        #expect(lines.all.last == "info: audio is no longer encoded for viewers of MPEG-TS")
        #expect(source === companion, "it starts again")
        uses = [StreamUse(of: source)]
        #expect(await eventually(within: 10) { companion.announcement != nil })
    }

    /// The announcement of the stream takes effect exactly at the first unit that follows it.
    @Test func changesOfTheTracksAreFollowed() async throws {
        _ = begin()
        let companion = source
        let use = StreamUse(of: companion)
        #expect(await eventually(within: 10) { companion.announcement != nil })
        publish(0)
        let count = companion.announcementCount
        let mulaw = Track(id: TrackID(1), format: .g711(G711(.mu, sampleRate: .telephony, channelCount: 1)!))
        stream.announce([Self.opus, mulaw])
        #expect(await eventually(within: 10) { companion.announcementCount > count })
        #expect(companion.announcement?.tracks.map(\.codec) == [.opus, .aac])
        stream.announce([Self.opus])
        #expect(await eventually(within: 10) { companion.announcement?.tracks.map(\.codec) == [.opus] })
        withExtendedLifetime(use) {}
    }

    @Test func streamsThatTransportStreamsCarryHaveNone() {
        _ = begin(.auto, [Self.opus])
        #expect(source === stream)
        #expect(lines.all.isEmpty)
    }

    @Test func withoutTranscodingTheLogNamesTheTrackOnce() {
        let transcoding = begin(.no)
        for _ in 0..<3 { #expect(source === stream) }
        #expect(
            lines.all == ["notice: track 2 (PCMA) is left out for viewers of MPEG-TS, which cannot carry it"])
        transcoding.change(to: .auto, nil)
        #expect(source !== stream)
    }
}
