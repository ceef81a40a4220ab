import Media
import TestSupport
import Testing

@testable import RTMP

@Suite struct FLVPackagerTests {
    @Test func aHeaderHasTheTimeOfThePlayer() throws {
        var packager = FLVPackager(tracks: avcTracks, options: [])
        let day: Int64 = 86_400_000
        let output = packager.package(frame([[0x65, 1]], decode: day, shown: day + 40, isKeyframe: true))
        let message = try #require(output?.messages.first)
        var timeline = PlayerTimeline()
        let header = message.header(streamID: 3, at: timeline.timestamp(of: message))
        #expect(header.byteCount == 12)
        #expect(
            chunked([
                MessageHeader(on: .control, timestamp: 0, payloadByteCount: 4, .setChunkSize, streamID: 0).bytes
                    + [0, 0xFF, 0xFF, 0xFF] + header.bytes + message.payload
            ]).messages
                == [Message(.video, streamID: 3, timestamp: 0, payload: message.payload)])
        let late = FLVMessage(.video, milliseconds: day + 0x100_0000, payload: [1])
        let extended = late.header(streamID: 3, at: timeline.timestamp(of: late))
        #expect(extended.byteCount == 16)
        #expect(extended.bytes.suffix(4) == [1, 0, 0, 0])
    }

    @Test func timesBeforeTheFirstAreZero() {
        var timeline = PlayerTimeline()
        let times = [1000, 990, 1010, 1000 + (1 << 32)].map { FLVMessage(.video, milliseconds: $0, payload: []) }
        let timestamps = times.map { timeline.timestamp(of: $0) }
        #expect(timestamps == [0, 0, 10, 0])
    }

    @Test func aNewConfigurationBeginsAGeneration() {
        var packager = FLVPackager(tracks: avcTracks, options: [])
        let first = packager.head
        let continues = packager.announced(avcTracks, after: avcTracks)
        #expect(continues && packager.head == first)
        _ = packager.announced([avcTracks[0]], after: avcTracks)
        #expect(packager.head?.generation == Generation.first.next)
        #expect(packager.head?.messages(for: .player).map(\.type) == [.dataAMF0, .video])
    }

    @Test func partsBecomeOneMessageAndBlocksOneEach() {
        var packager = FLVPackager(tracks: avcTracks, options: [])
        let parts: [AccessUnit.Part] = [.first, .middle, .last]
        let units = parts.map { part in
            AccessUnit(
                track: TrackID(0), presentationTime: MediaTime(ticks: 0, rate: .video),
                decodeTime: MediaTime(ticks: 0, rate: .video), isKeyframe: false, part: part, nalUnits: [[0x41, 7]])
        }
        let outputs = units.compactMap { packager.package($0) }
        #expect(
            outputs.map { $0.messages.map(\.payload) } == [
                [bytes("27 01 000000 00000002 4107 00000002 4107 00000002 4107")]
            ])
        let time = MediaTime(ticks: 48_000, rate: .audio48k)
        let audio = AccessUnit(
            track: TrackID(1), presentationTime: time, decodeTime: time, isKeyframe: true, nalUnits: [[1], [2]])
        let blocks = packager.package(audio)
        #expect(
            blocks?.messages
                == [
                    FLVMessage(.audio, milliseconds: 1000, payload: [0xAF, 1, 1]),
                    FLVMessage(.audio, milliseconds: 1021, payload: [0xAF, 1, 2]),
                ])
    }

    @Test func onlyTheFirstTrackOfEachKindThatPlayersReceiveIsSent() {
        let tracks =
            hevcTracks + [
                Track(id: TrackID(2), format: .h264(h264Sets)), Track(id: TrackID(3), format: .h264(h264Sets)),
            ]
        var legacy = FLVPackager(tracks: tracks, options: [])
        let unit = frame([[0x41, 1]], decode: 0, shown: 0)
        let outputs = [0, 2, 3].map { legacy.package(unit.on(TrackID($0))) != nil }
        #expect(outputs == [false, true, false])
        #expect(FLVPackager.carries(hevcTracks[1]))
        #expect(!FLVPackager.carries(hevcTracks[1], to: [.h265]))
    }
}
