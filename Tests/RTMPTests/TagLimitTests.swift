import MP4
import Media
import Testing

@testable import RTMP

/// What a publisher can make a reader keep, and make of one message.
@Suite struct TagLimitTests {
    private let parameterSets = h264Sets.sequence + h264Sets.picture
    private let videoStart = Message(.video, payload: bytes("17 00 000000") + Multitrack.configuration)
    private let audioStart = Message(.audio, payload: bytes("AF 00 1190"))
    private let slice: [UInt8] = [0x41, 9]
    private let keySlice: [UInt8] = [0x65, 1]

    /// A picture parameter set with the number 1 or 2.
    private func pictureSet(_ number: UInt8, byteCount: Int = 6) -> [UInt8] {
        let head: [UInt8] = [0x68, number == 1 ? 0x5A : 0x7A, 0xF8, 0xF2, 0xC8, 0xB0]
        return head + [UInt8](repeating: 0xAA, count: byteCount - head.count)
    }

    private func video(_ nalUnits: [[UInt8]], composition: [UInt8] = [0, 0, 0], at time: UInt32 = 0) -> Message {
        let data = nalUnits.flatMap { unit in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: unit.count >> $0) } + unit
        }
        return Message(.video, timestamp: time, payload: [0x27, 1] + composition + data)
    }

    private func part(_ payload: [UInt8]) -> [UInt8] {
        let byteCount = [16, 8, 0].map { UInt8(truncatingIfNeeded: payload.count >> $0) }
        return [8] + byteCount + [UInt8](repeating: 0, count: 7) + payload + [0, 0, 0, 0]
    }

    // MARK: One message

    @Test func anAggregateWithTooManyPartsIsMalformed() {
        let frame = part([0xAF, 1, 0xAA])
        func aggregate(_ count: Int) -> Message {
            Message(.aggregate, payload: [[UInt8]](repeating: frame, count: count).flatMap(\.self))
        }
        var reader = TagReader(epoch: epoch)
        var read = ReadTags()
        reader.received(audioStart, arrival: epoch)
        reader.received(aggregate(4_096), arrival: epoch)
        read.take(from: &reader)
        #expect(read.units.count == 4_096 && reader.malformedCount == 0)
        reader.received(aggregate(4_097), arrival: epoch)
        read.take(from: &reader)
        #expect(read.units.count == 4_096 && reader.malformedCount == 1)
    }

    @Test func theTagsOfAnAggregateAreBounded() {
        let head: [UInt8] = [0x95, 0x11] + Array("mp4a".utf8)
        let track: [UInt8] = [0, 0, 0, 1, 0xAA]
        let frames = part(head + [[UInt8]](repeating: track, count: 256).flatMap(\.self))
        let aggregate = Message(.aggregate, payload: [[UInt8]](repeating: frames, count: 20).flatMap(\.self))
        var reader = TagReader(epoch: epoch)
        var read = ReadTags()
        for message in [audioStart, aggregate] { reader.received(message, arrival: epoch) }
        read.take(from: &reader)
        #expect(read.units.count == 4_096)
        #expect(reader.malformedCount == 20 * 256 - 4_096)
        // The limit is that of one message.
        reader.received(Message(.audio, payload: [0xAF, 1, 0xBB]), arrival: epoch)
        read.take(from: &reader)
        #expect(read.units.last?.contents == [[0xBB]])
    }

    @Test func outputsAreTakenInTheirOrderHoweverTheyAreTaken() {
        var reader = TagReader(epoch: epoch)
        for message in [videoStart, audioStart] { reader.received(message, arrival: epoch) }
        var contents: [UInt8?] = []
        func take() {
            guard case .unit(let unit, of: _) = reader.next() else { return }
            contents.append(unit.bytes.last)
        }
        for number in 0..<100 as Range<UInt8> {
            reader.received(Message(.audio, payload: [0xAF, 1, number]), arrival: epoch)
            if number.isMultiple(of: 2) { take() }
        }
        for _ in 0..<100 { take() }
        #expect(contents == (0..<100).map(\.self))
    }

    @Test func aFrameWithTooManyNALUnitsIsMalformed() {
        var reader = TagReader(epoch: epoch)
        var read = ReadTags()
        reader.received(videoStart, arrival: epoch)
        for count in [4_096, 4_097] {
            reader.received(video([[UInt8]](repeating: slice, count: count)), arrival: epoch)
        }
        reader.deadlinePassed(at: instant(1_000))
        read.take(from: &reader)
        #expect(read.units.map(\.units.count) == [4_096])
        #expect(reader.malformedCount == 1)
    }

    @Test func damagedFramesAreCounted() {
        var reader = TagReader(epoch: epoch)
        let cut = Message(.video, payload: Array(video([slice]).payload.dropLast()))
        let received = [videoStart, video([slice]), cut].map { reader.received($0, arrival: epoch) }
        #expect(received == [false, true, false])
        #expect(reader.malformedCount == 1)
        // A message without a frame is not malformed.
        let others = [video([parameterSets[0]]), Message(.video, payload: []), videoStart, video([slice])]
        #expect(others.map { reader.received($0, arrival: epoch) } == [false, false, false, true])
        #expect(reader.malformedCount == 1)
    }

    @Test func presentationTimesStayNearTheDecodeTimes() {
        let read = read([
            videoStart, audioStart, video([slice], composition: [0x7F, 0xFF, 0xFF]),
            video([slice], composition: [0x80, 0, 0], at: 40), video([slice], composition: [0, 0x0C, 0x80], at: 80),
        ])
        let distances = read.units.map { $0.presentationTime.ticks - $0.decodeTime.ticks }
        #expect(distances == [288_000, -288_000, 288_000])
        #expect(read.units.map(\.decodeTime.ticks) == [0, 3_600, 7_200])
    }

    // MARK: What is kept

    @Test func framesThatWaitForTheAnnouncementAreBoundedByTheirNumber() {
        var reader = TagReader(epoch: epoch)
        var read = ReadTags()
        reader.received(audioStart, arrival: epoch)
        for number in 1...1_024 {
            read.take(from: &reader)
            #expect(read.tracks.isEmpty && read.units.isEmpty)
            reader.received(Message(.audio, payload: [0xAF, 1, UInt8(number & 0xFF)]), arrival: epoch)
        }
        read.take(from: &reader)
        #expect(read.tracks.count == 1)
        #expect(read.units.compactMap(\.bytes.first) == (1...1_024).map { UInt8($0 & 0xFF) })
    }

    @Test func parameterSetsInBandAreBounded() {
        let (first, second) = (pictureSet(1, byteCount: 40_000), pictureSet(2, byteCount: 40_000))
        let bare = video([keySlice])
        let one = read([videoStart, audioStart, video([first, slice]), bare])
        #expect(one.units.last?.contents == parameterSets + [first, keySlice])
        let both = read([videoStart, audioStart, video([first, second, slice]), bare])
        #expect(both.units.last?.contents == parameterSets + [keySlice])
        #expect(both.tracks == [avcTracks])
    }

    @Test func aConfigurationThatIsTooLongIsMalformed() {
        let long = h264Sets.picture[0] + [UInt8](repeating: 0xAA, count: 40_000)
        let sets = H264.ParameterSets(sequence: h264Sets.sequence, picture: [long, pictureSet(1, byteCount: 40_000)])
        let start = bytes("17 00 000000") + (sets?.decoderConfigurationRecord ?? [])
        var reader = TagReader(epoch: epoch)
        reader.received(Message(.video, payload: start), arrival: epoch)
        #expect(start.count > 80_000)
        #expect(reader.deadline == nil && reader.malformedCount == 1)
    }

    // MARK: Parameter sets that change

    @Test func otherParameterSetsAreAnnouncedWithTheKeyframeThatUsesThem() {
        var reader = TagReader(epoch: epoch)
        var read = ReadTags()
        func receive(_ messages: Message...) {
            for message in messages { reader.received(message, arrival: epoch) }
            read.take(from: &reader)
        }
        receive(videoStart, audioStart, video([keySlice]))
        receive(video([pictureSet(1)]), video([pictureSet(2), slice]))
        #expect(read.tracks.count == 1, "frames go on with the former tracks")
        #expect(read.units.last?.contents == [pictureSet(2), slice])
        receive(video([keySlice]))
        let all = h264Sets.picture + [pictureSet(1), pictureSet(2)]
        let sets = H264.ParameterSets(sequence: h264Sets.sequence, picture: all)
        #expect(read.tracks.count == 2)
        #expect(read.tracks.last?.first?.format == sets.map { .h264($0) })
        #expect(read.units.last?.contents == h264Sets.sequence + all + [keySlice])
        receive(video([keySlice]))
        #expect(read.tracks.count == 2)
    }

    @Test func aRepeatedConfigurationReplacesParameterSetsThatNoKeyframeHasUsed() {
        let read = read([
            videoStart, audioStart, video([keySlice]), video([pictureSet(1)]), videoStart, video([keySlice]),
        ])
        #expect(read.tracks == [avcTracks])
        #expect(read.units.last?.contents == parameterSets + [keySlice])
    }
}
