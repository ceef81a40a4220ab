import Media
import TestSupport
import Testing

@testable import MPEGTS

/// A receiver gets the units that were multiplexed.
@Suite struct ElementaryStreamTests {
    static let broadcasts: [Broadcast] = [
        Broadcast(), Broadcast(interval: 1_500, reorders: true), Broadcast(comesInParts: true),
        Broadcast(interval: 18_000, reorders: true, comesInParts: true, maximumFrameByteCount: 80_000),
        Broadcast(audioRate: .audio44k),
    ]

    @Test(arguments: broadcasts)
    func everyUnitIsReceivedWithItsTimes(broadcast: Broadcast) {
        let units = broadcast.units(seconds: 4, seed: 1)
        let receiver = received(units, tracks: tracks(audioRate: broadcast.audioRate))
        #expect(receiver.violations == [])
        for (track, pid) in [(video, videoPID), (audio, audioPID)] {
            let sent = units.filter { $0.track == track }
            let starts = sent.filter(\.part.isStart)
            let back = receiver.units(of: pid)
            #expect(back.map(\.presentation) == starts.map { $0.presentationTime.at90kHz.ticks + 900_000 })
            #expect(back.map(\.decode) == starts.map { $0.decodeTime.at90kHz.ticks + 900_000 })
            #expect(back.map(\.isKeyframe) == starts.map(\.isKeyframe))
        }
        #expect(receiver.units(of: videoPID).map { AnnexB.units(of: $0.body) } == Self.sentVideo(units))
        #expect(receiver.units(of: audioPID).map { frames($0.body) } == Self.sentAudio(units))
    }

    /// All lengths around multiples of a transport packet's payload, and around the longest PES packet.
    @Test(arguments: [1...900, 65_455...65_480, 130_950...130_975])
    func unitsOfAllLengthsAreReceived(lengths: ClosedRange<Int>) {
        let units = lengths.enumerated().map { index, byteCount in
            videoUnit(
                [nalUnit(1, byteCount)], at: Int64(index) * 3_000, decodedAt: Int64(index - index % 2) * 3_000 + 1)
        }
        let receiver = received(units)
        #expect(receiver.violations == [])
        #expect(receiver.units(of: videoPID).map { AnnexB.units(of: $0.body) } == Self.sentVideo(units))
    }

    @Test func everyPESPacketHasALengthAndEndsAtOnce() {
        let units = [videoUnit([nalUnit(5, 300_000)], at: 0, isKeyframe: true)]
        let receiver = received(units)
        // The receiver has received all units, so every packet had a length.
        #expect(receiver.units(of: videoPID).map { AnnexB.units(of: $0.body) } == Self.sentVideo(units))
        #expect(receiver.packets.count == 5)
        #expect(receiver.packets.dropFirst().allSatisfy { $0.presentation == nil })
    }

    @Test func keyframesOfH265GetADelimiterAndTheirParameterSets() {
        let slice = H265Samples.idr + [UInt8](repeating: 7, count: 900)
        let (sets, delimiter): ([[UInt8]], [UInt8]) = (H265Samples.sets.all, [0x46, 0x01, 0x50])
        let units = [
            videoUnit([slice], at: 0, isKeyframe: true), videoUnit([H265Samples.other], at: 3_000),
            videoUnit([delimiter] + sets + [slice], at: 6_000, isKeyframe: true),
        ]
        let receiver = received(units, tracks: [Track(id: video, format: .h265(H265Samples.sets))])
        #expect(receiver.violations == [])
        let sent = receiver.units(of: videoPID).map { AnnexB.units(of: $0.body) }
        #expect(sent == [[delimiter] + sets + [slice], [delimiter, H265Samples.other], [delimiter] + sets + [slice]])
    }

    /// The size is a sum of bytes, which is a limit at multiples of 255.
    @Test func opusIsSentBehindControlHeaders() {
        let opus = Track(id: audio, format: .opus(channelCount: 2))
        for byteCount in [1, 254, 255, 256, 510, 900] {
            let packet = [UInt8](repeating: 0xF8, count: byteCount)
            let receiver = received([audioUnit([packet], at: 0)], tracks: [opus])
            #expect(receiver.violations == [])
            let size = [UInt8](repeating: 255, count: byteCount / 255) + [UInt8(byteCount % 255)]
            #expect(receiver.units(of: 0x100).map(\.body) == [[0x7F, 0xE0] + size + packet])
        }
    }

    @Test func g711IsLeftOut() throws {
        let format = try #require(G711(.a, sampleRate: .audio48k, channelCount: 1))
        let streams = ElementaryStream.streams(of: [tracks()[0], Track(id: audio, format: .g711(format))])
        #expect(streams.map(\.track) == [video])
    }

    /// Descriptors take room in the program map, which has one packet.
    @Test func tracksBeyondTheProgramMapAreLeftOut() {
        let many = (0..<20).map { Track(id: TrackID($0), format: .opus(channelCount: 1)) }
        #expect(ElementaryStream.streams(of: many).count == 5)
        _ = ProgramTables(streams: ElementaryStream.streams(of: many))
    }

    @Test func severalBlocksShareAPacket() {
        let blocks: [[UInt8]] = [[1, 2, 3], [4], [UInt8](repeating: 5, count: 700)]
        let receiver = received([audioUnit(blocks, at: 0)], tracks: [tracks()[1]])
        #expect(receiver.violations == [])
        #expect(receiver.units(of: 0x100).map { frames($0.body) } == [blocks])
    }

    @Test func audioThatADTSCannotExpressIsLeftOut() {
        let configs: [([UInt8], Bool)] = [
            ([0x11, 0x90], true), ([0x12, 0x10], true),
            // With SBR signalled first, the header describes the core.
            ([0x2B, 0x11, 0x88, 0x00], true),
            // An unlisted rate, an unlisted channel layout, frames of 960 samples, USAC.
            ([0x17, 0x80, 0x5D, 0xC0, 0x10], false), ([0x11, 0x80], false), ([0x11, 0x94], false),
            ([0xF9, 0x46, 0x40], false), ([], false),
        ]
        for (bytes, isCarried) in configs {
            let config = AAC.AudioSpecificConfig(bytes: bytes, sampleRate: .audio48k, channelCount: 2)
            #expect((ADTSFraming(config) != nil) == isCarried, "\(bytes)")
        }
        var multiplexer = Multiplexer(tracks: tracks())
        #expect(multiplexer.packets(of: audioUnit([[UInt8](repeating: 1, count: 8_185)], at: 0)) == nil)
        #expect(multiplexer.packets(of: audioUnit([[UInt8](repeating: 1, count: 8_184)], at: 0)) != nil)
    }

    @Test func randomUnitsNeverTrap() {
        var multiplexer = Multiplexer(tracks: tracks())
        var receiver = Receiver()
        let stranger = AccessUnit(
            track: TrackID(7), presentationTime: MediaTime(ticks: 0, rate: .video),
            decodeTime: MediaTime(ticks: 0, rate: .video), isKeyframe: true, nalUnits: [[9]])
        #expect(multiplexer.packets(of: stranger) == nil)
        for ticks in [0, .max, .min, 1, -1, .max / 2, .min / 2] as [Int64] {
            for part in [AccessUnit.Part.last, .middle, .whole, .first] {
                let unit = videoUnit([[0x09], [0x05]], at: ticks, decodedAt: ~ticks, isKeyframe: true, part: part)
                for bytes in multiplexer.bytes(of: [unit, audioUnit([[0]], at: ticks)]) { receiver.receive(bytes) }
            }
        }
        for bytes in multiplexer.bytes(of: [videoUnit([nalUnit(5, 2_000_000)], at: 5)]) { receiver.receive(bytes) }
        #expect(receiver.violations == [])
        var empty = Multiplexer(tracks: [])
        #expect(empty.packets(of: stranger) == nil)
        _ = empty.fastStart(of: [stranger])
    }

    // MARK: - Expected values

    /// NAL units of all frames, with those that the multiplexer inserts.
    static func sentVideo(_ units: [AccessUnit]) -> [[[UInt8]]] {
        var expected: [[[UInt8]]] = []
        for unit in units where unit.track == video {
            var nalUnits = unit.units.map { Array(unit.bytes[$0]) }
            guard unit.part.isStart else {
                expected[expected.count - 1] += nalUnits
                continue
            }
            if AnnexB.type(of: nalUnits[0]) != 9 { nalUnits.insert(delimiter, at: 0) }
            if unit.isKeyframe, !nalUnits.contains(where: { AnnexB.type(of: $0) == 7 }) {
                nalUnits.insert(contentsOf: announced, at: 1)
            }
            expected.append(nalUnits)
        }
        return expected
    }

    static func sentAudio(_ units: [AccessUnit]) -> [[[UInt8]]] {
        units.filter { $0.track == audio }.map { unit in unit.units.map { Array(unit.bytes[$0]) } }
    }

    /// Raw data blocks of ADTS frames with the configuration of `tracks`.
    private func frames(_ body: [UInt8]) -> [[UInt8]] {
        var (blocks, rest) = ([[UInt8]](), body[...])
        while let header = AAC.ADTSHeader(parsing: Array(rest)), header.frameLength <= rest.count {
            #expect(header.configuration.bytes == [0x11, 0x90])
            blocks.append(Array(rest.prefix(header.frameLength).dropFirst(header.byteCount)))
            rest = rest.dropFirst(header.frameLength)
        }
        #expect(rest.isEmpty)
        return blocks
    }
}

extension ClockRate {
    static let audio44k: Self = {
        guard let rate = ClockRate(hertz: 44_100) else { preconditionFailure("a positive rate") }
        return rate
    }()
}
