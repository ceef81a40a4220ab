import Media
import TestSupport
import Testing

@testable import RTMP

/// Publishers with several tracks of video.
@Suite struct MultitrackTests {
    private let one = TrackNumber(1)
    private let two = TrackNumber(2)
    private let audioStart = Message(.audio, payload: bytes("AF 00 1190"))
    private let audioFrame = Message(.audio, payload: bytes("AF 01 AABB"))
    /// The main track without multitrack, as FFmpeg and OBS send it.
    private let mainStart = Message(.video, payload: bytes("17 00 000000") + Multitrack.configuration)
    private let mainKey = Message(.video, payload: bytes("17 01 000000 00000002 6500"))

    private func start(_ numbers: UInt8...) -> [Message] {
        numbers.map { Multitrack.message(.oneTrack, 0, [.init(number: $0, data: Multitrack.configuration)]) }
    }

    private func key(_ number: UInt8) -> Message {
        Multitrack.message(
            .oneTrack, 3, [.init(number: number, data: Multitrack.frame(number, isKeyframe: true))], isKeyframe: true)
    }

    private func tags(_ message: Message) -> (tags: [MediaTag], malformedCount: Int) { MediaTag.tags(in: message) }

    // MARK: Messages

    /// What a writer of the specification makes, in all three forms and all packet types that carry data.
    @Test(arguments: Multitrack.Form.allCases) func theTracksOfAMessageAreRead(_ form: Multitrack.Form) {
        let parts: [Multitrack.Part] = [
            .init(number: 0, data: [0, 0, 40, 1, 2]), .init(number: 3, data: [0xFF, 0xFF, 0xFF]),
            .init(number: 255, data: [0, 0, 0, 4]),
        ]
        let used = form == .oneTrack ? Array(parts.prefix(1)) : parts
        for type in [Multitrack.sequenceStart, Multitrack.codedFrames, Multitrack.codedFramesX] {
            let message = Multitrack.message(form, type, used)
            let (tags, malformedCount) = tags(message)
            #expect(malformedCount == 0)
            #expect(tags.map(\.number.rawValue) == used.map(\.number))
            #expect(tags.allSatisfy { $0.codec == .h264 })
            for (tag, part) in zip(tags, used) {
                switch tag.content {
                case .configuration(let range):
                    #expect(type == Multitrack.sequenceStart && Array(message.payload[range]) == part.data)
                case .frame(let time, let range):
                    let hasTime = type == Multitrack.codedFrames
                    #expect(Array(message.payload[range]) == (hasTime ? Array(part.data.dropFirst(3)) : part.data))
                    #expect(time == (hasTime ? [0: 40, 3: -1, 255: 0][part.number] : 0))
                case .other: Issue.record("\(part) has media")
                }
            }
        }
    }

    /// Cut at any byte, a message gives the tracks that are complete, and says that something is missing.
    @Test(arguments: [Multitrack.Form.manyTracks, .manyTracksManyCodecs])
    func aMessageThatIsCutOffHasTheTracksBeforeTheCut(_ form: Multitrack.Form) {
        let parts = (0..<3).map { Multitrack.Part(number: $0, data: [0, 0, 0, 7, 8]) }
        let whole = Multitrack.message(form, Multitrack.codedFrames, parts)
        let headByteCount = form == .manyTracks ? 6 : 2
        let partByteCount = form == .manyTracks ? 9 : 13
        for count in 1..<whole.payload.count {
            let (tags, malformedCount) = tags(Message(.video, payload: Array(whole.payload.prefix(count))))
            let complete = max(0, count - headByteCount) / partByteCount
            #expect(tags.map(\.number.rawValue) == (0..<UInt8(complete)).map(\.self), "\(count) bytes")
            // At the end of a track, nothing says that another one was meant.
            let isAtEnd = complete > 0 && (count - headByteCount).isMultiple(of: partByteCount)
            #expect(malformedCount == (isAtEnd ? 0 : 1), "\(count) bytes")
        }
    }

    @Test func aTrackThatIsTooShortDoesNotDisturbTheNext() {
        // The composition time needs three bytes.
        let message = Multitrack.message(
            .manyTracks, Multitrack.codedFrames,
            [.init(number: 0, data: [0, 0]), .init(number: 1, data: [0, 0, 0, 9]), .init(number: 2, data: [])])
        let (tags, malformedCount) = tags(message)
        #expect(tags.map(\.number.rawValue) == [1])
        #expect(malformedCount == 2)
    }

    @Test func aCodecThatIsNotReceivedDoesNotDisturbOtherTracks() {
        let parts: [Multitrack.Part] = [
            .init(number: 0, code: "av01", data: [1, 2, 3, 4]),
            .init(number: 1, data: [0, 0, 0, 9]), .init(number: 2, code: "hvc1", data: [0, 0, 0, 9]),
        ]
        let (tags, malformedCount) = tags(Multitrack.message(.manyTracksManyCodecs, Multitrack.codedFrames, parts))
        #expect(tags.map(\.codec) == [.unsupported("AV1"), .h264, .h265])
        #expect(malformedCount == 0)
    }

    @Test func theTracksOfAMessageAreBounded() {
        let parts = (0..<1_000).map { Multitrack.Part(number: UInt8(truncatingIfNeeded: $0), data: []) }
        let (tags, malformedCount) = tags(Multitrack.message(.manyTracks, Multitrack.codedFramesX, parts))
        #expect(tags.count == 256)
        #expect(malformedCount == 1)
    }

    // MARK: Streams

    @Test func eachTrackOfVideoIsAStreamWithTheFirstAudio() {
        let messages = [mainStart, audioStart] + start(1, 2) + [mainKey, key(1), key(2), audioFrame]
        let read = read(messages)
        #expect(read.tracks == [avcTracks])
        #expect(read.otherTracks == [one: [avcTracks], two: [avcTracks]])
        #expect(read.units.map(\.track.index) == [0, 1])
        #expect(read.otherUnits.mapValues { $0.map(\.track.index) } == [one: [0, 1], two: [0, 1]])
        #expect(read.units[0].contents.last == [0x65, 0])
        #expect(read.otherUnits[one]?[0].contents.last == [0x65, 1])
        #expect(read.otherUnits[two]?[0].contents.last == [0x65, 2])
        #expect(read.otherUnits[one]?[1].contents == [[0xAA, 0xBB]])
    }

    /// Messages of one form are read as those of any other.
    @Test func allFormsGiveTheSameStreams() {
        func parts(_ data: (UInt8) -> [UInt8]) -> [Multitrack.Part] {
            [0, 1].map { .init(number: $0, data: data($0)) }
        }
        let frames = parts { Multitrack.frame($0, isKeyframe: true) }
        let streams = [Multitrack.Form.manyTracks, .manyTracksManyCodecs].map { form in
            read([
                audioStart, Multitrack.message(form, 0, parts { _ in Multitrack.configuration }),
                Multitrack.message(form, 3, frames, isKeyframe: true),
            ])
        }
        let single = read([audioStart, mainStart] + start(1) + [mainKey, key(1)])
        for read in streams {
            #expect(read.tracks == single.tracks && read.otherTracks == single.otherTracks)
            #expect(read.units.map(\.contents) == single.units.map(\.contents))
            #expect(read.otherUnits[one]?.map(\.contents) == single.otherUnits[one]?.map(\.contents))
        }
    }

    @Test func aTrackThatComesLaterDoesNotAnnounceTheOthersAgain() {
        var reader = TagReader(epoch: epoch)
        var read = ReadTags()
        for message in [mainStart, audioStart, mainKey] { reader.received(message, arrival: epoch) }
        for message in start(2) + [key(2), mainKey] { reader.received(message, arrival: instant(5000)) }
        read.take(from: &reader)
        #expect(read.tracks == [avcTracks])
        #expect(read.otherTracks == [two: [avcTracks]])
        #expect(read.units.count == 2)
        // Another configuration of one track is none of the others.
        let other = H264.ParameterSets(sequence: [h264Sets.sequence[0] + [1]], picture: h264Sets.picture)!
        let record = other.decoderConfigurationRecord ?? []
        reader.received(Multitrack.message(.oneTrack, 0, [.init(number: 2, data: record)]), arrival: instant(5000))
        read.take(from: &reader)
        #expect(read.tracks.count == 1)
        #expect(read.otherTracks[two]?.count == 2)
        #expect(read.otherTracks[two]?.last?.first?.format == .h264(other))
    }

    @Test func withoutATrackOfNumberZeroTheLowestIsTheMainStream() {
        let read = read([audioStart] + start(2) + [key(2)] + start(1) + [key(1)] + start(0) + [key(0), key(2)])
        // The main stream changes to each lower number.
        #expect(read.tracks.count == 3)
        #expect(read.units.map { $0.contents.last } == [[0x65, 2], [0x65, 1], [0x65, 0]])
        #expect(read.otherUnits[one]?.map { $0.contents.last } == [[0x65, 1]])
        #expect(read.otherUnits[two]?.map { $0.contents.last } == [[0x65, 2], [0x65, 2]])
    }

    @Test func damageOfOneTrackIsCountedAndDisturbsNoOther() {
        let unconfigured = key(7)
        let malformed = Multitrack.message(.oneTrack, 0, [.init(number: 5, data: [9])])
        let unsupported = Multitrack.message(.oneTrack, 0, [.init(number: 6, code: "av01", data: [1])])
        var reader = TagReader(epoch: epoch)
        var read = ReadTags()
        for message in [mainStart, malformed, audioStart, unsupported] + start(1) + [unconfigured, mainKey, key(1)] {
            reader.received(message, arrival: epoch)
        }
        read.take(from: &reader)
        #expect(read.unsupported == ["AV1"])
        #expect(reader.malformedCount == 2)
        #expect(read.units.count == 1)
        #expect(read.otherUnits.mapValues(\.count) == [one: 1])
    }

    @Test func tracksAreBounded() {
        var reader = TagReader(epoch: epoch)
        for number in 0..<255 as Range<UInt8> {
            for message in start(number) { reader.received(message, arrival: epoch) }
        }
        reader.deadlinePassed(at: instant(1000))
        var read = ReadTags()
        read.take(from: &reader)
        #expect(read.tracks.count == 1)
        #expect(read.otherTracks.keys.sorted() == (1..<8).map { TrackNumber($0) })
        #expect(reader.malformedCount == 247)
    }

    @Test func furtherAudioIsReportedAndNotReceived() {
        let second = Message(.audio, payload: bytes("95 00 6d703461 01 1190"))
        let read = read([
            mainStart, audioStart, second, mainKey, Message(.audio, payload: bytes("95 01 6d703461 01 CC")),
        ])
        #expect(read.furtherAudioCount == 1)
        #expect(read.tracks == [avcTracks])
        #expect(read.units.count == 1)
    }

    // MARK: Two ends

    /// A client and a server, connected back to back: whatever the pieces, the server's reader gets both tracks of the client.
    @Test(arguments: [1, 2, 3, 7, 64, 129, 4_096]) func aClientPublishesTwoTracksToAServer(pieceByteCount: Int) {
        let target = ClientTarget(.publish, server: "rtmp://host", path: "/yard", query: "")
        var pair = SessionPair(target, pieceByteCount: pieceByteCount)
        pair.run()
        #expect(pair.isStarted)
        var sent = [mainStart, audioStart] + start(1) + [mainKey, key(1), audioFrame]
        for number in 1..<20 as Range<UInt8> {
            let time = UInt32(number) * 40
            let parts = [0, 1].map { Multitrack.Part(number: $0, data: Multitrack.frame(number)) }
            sent.append(Multitrack.message(.manyTracks, Multitrack.codedFramesX, parts, at: time))
        }
        pair.publish(sent)
        var reader = TagReader(epoch: epoch)
        var result = ReadTags()
        for message in pair.serverMedia {
            reader.received(message, arrival: epoch)
            result.take(from: &reader)
        }
        let direct = read(sent)
        #expect(result.tracks == [avcTracks])
        #expect(result.otherTracks == [one: [avcTracks]])
        #expect(result.units.count == 21 && result.otherUnits[one]?.count == 21)
        #expect(result.units.map(\.contents) == direct.units.map(\.contents))
        #expect(result.otherUnits[one]?.map(\.contents) == direct.otherUnits[one]?.map(\.contents))
        #expect(result.units.map(\.decodeTime) == direct.units.map(\.decodeTime))
    }
}
