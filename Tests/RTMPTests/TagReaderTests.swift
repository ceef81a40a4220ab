import MP4
import Media
import TestSupport
import Testing

@testable import RTMP

@Suite struct TagReaderTests {
    private let parameterSets = h264Sets.sequence + h264Sets.picture

    @Test func unitsAreReadAsTheyWerePackaged() {
        let units = [
            frame(parameterSets + [[0x65, 1, 2], [0x65, 3]], decode: 0, shown: 80, isKeyframe: true),
            // B-frames, and one that is shown before the time at which it is decoded.
            frame([[0x41, 4]], decode: 40, shown: 200), frame([[0x01, 5]], decode: 80, shown: 40),
            frame([[0x01, 6]], decode: 120, shown: 160),
        ]
        let read = read(messages(of: units, tracks: [avcTracks[0]]))
        #expect(read.tracks == [[avcTracks[0]]])
        #expect(read.metadata.first?.hasAudio == false)
        #expect(read.units.map(\.contents) == units.map(\.contents))
        #expect(read.units.map(\.decodeTime) == units.map(\.decodeTime))
        #expect(read.units.map(\.presentationTime) == units.map(\.presentationTime))
        #expect(read.units.map(\.isKeyframe) == [true, false, false, false])
    }

    @Test func h265AndOpusAreReadAsTheyWerePackaged() {
        let opus = MediaTime(ticks: 960, rate: .audio48k)
        let units = [
            frame(H265Samples.sets.all + [H265Samples.idr], decode: 0, shown: 40, isKeyframe: true),
            AccessUnit(
                track: TrackID(1), presentationTime: opus, decodeTime: opus, isKeyframe: true, bytes: [0xFC, 1, 2],
                units: [0..<3]),
            frame([H265Samples.other], decode: 40, shown: 80),
        ]
        let read = read(messages(of: units, tracks: hevcTracks, [.h265, .opus]))
        #expect(read.tracks == [hevcTracks])
        #expect(read.units.map(\.contents) == units.map(\.contents))
        #expect(read.units.map(\.track.index) == [0, 1, 0])
        // Milliseconds: 20 ms are 960 ticks.
        #expect(read.units[1].decodeTime == opus)
        #expect(FLVPackager(tracks: hevcTracks, options: []).head?.messages(for: .player).count == 1)
    }

    @Test func keyframesGetTheParameterSetsOfTheConfiguration() {
        let unit = frame([[0x65, 1]], decode: 0, shown: 0, isKeyframe: true)
        var packager = FLVPackager(tracks: [avcTracks[0]], options: [])
        let head = packager.head?.messages(for: .server).map { Message($0.type, payload: $0.payload) } ?? []
        let bare = Message(.video, payload: bytes("17 01 000000 00000002 6501"))
        let packaged = packager.package(unit)?.messages.first?.payload
        #expect(
            packaged == bytes("17 01 000000 00000019") + parameterSets[0] + bytes("00000006") + parameterSets[1]
                + bytes("00000002 6501"))
        #expect(read(head + [bare]).units.map(\.contents) == [parameterSets + [[0x65, 1]]])
    }

    @Test func timesContinueWhereTheirNumbersWrap() {
        let head = messages(of: [], tracks: [avcTracks[0]])
        let times: [UInt32] = [0xFFFF_FFD8, 0, 40]
        let frames = times.map { Message(.video, timestamp: $0, payload: bytes("17 01 000000 00000002 6501")) }
        let configured = head.map { Message($0.type, timestamp: 0xFFFF_FFD8, payload: $0.payload) }
        let read = read(configured + frames, arrival: instant(1000))
        #expect(read.units.map(\.decodeTime.ticks) == [90_000, 93_600, 97_200])
    }

    @Test func aClockThatBeginsAgainContinuesAtTheArrival() {
        var reader = TagReader(epoch: epoch)
        var read = ReadTags()
        for message in messages(of: [], tracks: [avcTracks[0]]) { reader.received(message, arrival: instant(0)) }
        for (time, arrival) in [(0, 0), (20_000, 20_000), (0, 21_000), (40, 21_040)] as [(UInt32, Int64)] {
            let payload = bytes("17 01 000000 00000002 6501")
            reader.received(Message(.video, timestamp: time, payload: payload), arrival: instant(arrival))
        }
        read.take(from: &reader)
        #expect(read.units.map { $0.decodeTime.ticks / 90 } == [0, 20_000, 21_000, 21_040])
    }

    @Test func audioIsCountedBySamplesAndNotByMilliseconds() {
        let start = Message(.audio, payload: bytes("AF 00 1190"))
        let frames = (0..<100).map { number in
            Message(.audio, timestamp: UInt32(number * 1024 / 48), payload: bytes("AF 01 AABB"))
        }
        let late = Message(.audio, timestamp: 5000, payload: bytes("AF 01 AABB"))
        var reader = TagReader(epoch: epoch)
        for message in [start] + frames + [late] { reader.received(message, arrival: epoch) }
        reader.deadlinePassed(at: instant(1000))
        var read = ReadTags()
        read.take(from: &reader)
        #expect(read.units.dropLast().map(\.decodeTime.ticks) == (0..<100).map { $0 * 1024 })
        #expect(read.units.last?.decodeTime.ticks == 240_000)
    }

    @Test func aMissingKindIsWaitedForASecond() {
        var reader = TagReader(epoch: epoch)
        var read = ReadTags()
        #expect(reader.deadline == nil)
        let configuration = messages(of: [], tracks: [avcTracks[0]])[1]
        reader.received(configuration, arrival: instant(100))
        let key = Message(.video, payload: bytes("17 01 000000 00000002 6501"))
        reader.received(key, arrival: instant(110))
        #expect(reader.deadline == instant(1100))
        reader.deadlinePassed(at: instant(1099))
        read.take(from: &reader)
        #expect(read.tracks.isEmpty && read.units.isEmpty)
        reader.deadlinePassed(at: instant(1100))
        read.take(from: &reader)
        #expect(read.tracks == [[avcTracks[0]]])
        #expect(read.units.count == 1)
        // Audio that comes later announces all tracks again.
        reader.received(Message(.audio, payload: bytes("AF 00 1190")), arrival: instant(1200))
        read.take(from: &reader)
        #expect(read.tracks.last == avcTracks)
    }

    @Test func aRepeatedConfigurationChangesNothingAndAnotherAnnouncesAgain() {
        var head = messages(of: [], tracks: [avcTracks[0]])
        let key = Message(.video, payload: bytes("17 01 000000 00000002 6501"))
        head += [key, head[1], key]
        #expect(read(head).tracks.count == 1)
        let other = H264.ParameterSets(sequence: [h264Sets.sequence[0] + [1]], picture: h264Sets.picture)!
        let changed = messages(of: [], tracks: [Track(id: TrackID(0), format: .h264(other))])
        #expect(read(head + [changed[1], key]).tracks.count == 2)
    }

    @Test func framesOfAConfigurationThatChangesBeforeTheAnnouncementAreDropped() {
        var reader = TagReader(epoch: epoch)
        for payload in ["AF 00 1190", "AF 01 AA", "AF 00 1210", "AF 01 BB"] {
            reader.received(Message(.audio, payload: bytes(payload)), arrival: epoch)
        }
        reader.deadlinePassed(at: instant(1000))
        var read = ReadTags()
        read.take(from: &reader)
        #expect(read.tracks.first?.map(\.clockRate.hertz) == [44_100])
        #expect(read.units.map(\.contents) == [[[0xBB]]])
    }

    @Test func unsupportedCodecsAreReportedOnceAndMalformedMessagesCounted() {
        var reader = TagReader(epoch: epoch)
        let wrong = ["90 61763031 00", "91 61763031 00", "17 01", "17 00 000000 FF", "27 01 000000 00000009 41"]
        for payload in wrong { reader.received(Message(.video, payload: bytes(payload)), arrival: epoch) }
        reader.received(Message(.dataAMF0, payload: [2, 9]), arrival: epoch)
        var read = ReadTags()
        read.take(from: &reader)
        #expect(read.unsupported == ["AV1"])
        #expect(reader.malformedCount == 4)
    }

    @Test func h265WithTheNumberOfH264IsH265() {
        let record = H265Samples.sets.decoderConfigurationRecord(areComplete: true) ?? []
        let start = Message(.video, payload: bytes("17 00 000000") + record)
        let nal = [0, 0, 0, UInt8(H265Samples.idr.count)] + H265Samples.idr
        let key = Message(.video, payload: bytes("17 01 000000") + nal)
        var reader = TagReader(epoch: epoch)
        for message in [start, key] { reader.received(message, arrival: epoch) }
        reader.deadlinePassed(at: instant(1000))
        var read = ReadTags()
        read.take(from: &reader)
        #expect(read.tracks.first?.map(\.codec) == [.h265])
        #expect(read.units.first?.contents == H265Samples.sets.all + [H265Samples.idr])
    }

    @Test func messagesInAnAggregateAreRead() {
        let inner =
            bytes("08 000004 0003e8 00 000000 AF001190 0000000f") + bytes("08 000003 0003fd 00 000000 AF01AA 0000000e")
        let parts = AggregateMessage.messages(in: Message(.aggregate, streamID: 1, timestamp: 50, payload: inner))
        #expect(parts?.map(\.timestamp) == [50, 71])
        #expect(parts?.map(\.payload) == [bytes("AF001190"), bytes("AF01AA")])
        #expect(AggregateMessage.messages(in: Message(.aggregate, payload: Array(inner.dropLast()))) == nil)
    }
}
