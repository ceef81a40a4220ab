import Media
import NIOCore
import Testing

@testable import Measuring

/// Files are read from boxes that are spelled out here, as any server may write them.
@Suite struct FragmentReaderTests {
    private static func box(_ type: String, _ content: [UInt8]...) -> [UInt8] {
        let content = content.flatMap(\.self)
        return integer(UInt32(content.count + 8)) + Array(type.utf8) + content
    }

    private static func integer<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }

    private static func track(_ number: UInt32, _ ticks: UInt32, _ handler: String, version: UInt32 = 0) -> [UInt8] {
        let times = [UInt8](repeating: 0, count: version == 1 ? 16 : 8)
        return box(
            "trak", box("tkhd", integer(version << 24), times, integer(number)),
            box(
                "mdia", box("mdhd", integer(version << 24), times, integer(ticks)),
                box("hdlr", integer(UInt64(0)), Array(handler.utf8))))
    }

    private static let start =
        box("ftyp", Array("iso5".utf8)) + box("moov", track(1, 90_000, "vide"), track(2, 48_000, "soun", version: 1))

    /// A fragment with a capture time (`prft`) and one keyframe of four bytes, whose flags stand in `trun`.
    private static let keyframe =
        box("prft", integer(UInt32(0)), integer(UInt32(1)), integer(UInt64(0x83AA_7E80) << 32), integer(UInt64(0)))
        + box(
            "moof", box("mfhd", integer(UInt64(1))),
            box(
                "traf", box("tfhd", integer(UInt32(0)), integer(UInt32(1))),
                box("tfdt", integer(UInt32(1) << 24), integer(UInt64(900_000))),
                box(
                    "trun", integer(UInt32(0x501)), integer(UInt32(1)), integer(UInt32(0)), integer(UInt32(3_000)),
                    integer(UInt32(0x0200_0000)))))
        + box("mdat", [1, 2, 3, 4])

    /// Another frame and two audio frames, with the defaults of `tfhd`.
    private static let both =
        box(
            "moof",
            box(
                "traf",
                box(
                    "tfhd", integer(UInt32(0x28)), integer(UInt32(1)), integer(UInt32(3_000)),
                    integer(UInt32(0x0101_0000))),
                box("tfdt", integer(UInt32(0)), integer(UInt32(903_000))),
                box("trun", integer(UInt32(0)), integer(UInt32(1)))),
            box(
                "traf", box("tfhd", integer(UInt32(0x08)), integer(UInt32(2)), integer(UInt32(1_024))),
                box("tfdt", integer(UInt32(0)), integer(UInt32(480_000))),
                box("trun", integer(UInt32(0)), integer(UInt32(2)))))
        + box("mdat", [5])

    private static let elements: [FragmentReader.Element] = [
        .tracks([
            .init(number: 1, rate: .video, isVideo: true), .init(number: 2, rate: .audio48k, isVideo: false),
        ]),
        .fragment(
            .init(
                track: 0, decodeTime: 900_000, duration: 3_000, isKeyframe: true, captured: 0,
                byteCount: start.count + keyframe.count)),
        .fragment(
            .init(
                track: 0, decodeTime: 903_000, duration: 3_000, isKeyframe: false, captured: nil,
                byteCount: both.count)),
        .fragment(
            .init(
                track: 1, decodeTime: 480_000, duration: 2_048, isKeyframe: true, captured: nil,
                byteCount: 0)),
    ]

    private static func read(_ pieces: [ArraySlice<UInt8>]) throws(MP4Failure) -> [FragmentReader.Element] {
        var (reader, elements) = (FragmentReader(), [FragmentReader.Element]())
        for piece in pieces { try reader.read(ByteBuffer(bytes: piece)) { elements.append($0) } }
        return elements
    }

    @Test func aFileIsReadInPiecesOfAnyLength() throws {
        let file = Self.start + Self.keyframe + Self.both
        for split in 0...file.count {
            #expect(try Self.read([file[..<split], file[split...]]) == Self.elements, "split at \(split)")
        }
        #expect(try Self.read(file.indices.map { file[$0...$0] }) == Self.elements)
    }

    @Test func impossibleBoxesAreRefused() {
        #expect(throws: MP4Failure.box("mdat")) {
            try Self.read([(Self.integer(UInt32(7)) + Array("mdat".utf8))[...]])
        }
        #expect(throws: MP4Failure.box("moov")) {
            try Self.read([(Self.integer(UInt32(1 << 21)) + Array("moov".utf8))[...]])
        }
        #expect(throws: MP4Failure.box("tkhd")) {
            try Self.read([Self.box("moov", Self.box("trak", Self.box("tkhd", [0, 0, 0, 0, 1])))[...]])
        }
        #expect(throws: MP4Failure.unknownTrack(1)) { try Self.read([Self.keyframe[...]]) }
    }

    /// Whatever is damaged, the reader returns or throws.
    @Test func aDamagedFileDoesNoHarm() {
        let file = Self.start + Self.keyframe + Self.both
        for index in file.indices {
            for value in [0, 1, 0x7F, 0xFF] as [UInt8] {
                var damaged = file
                damaged[index] = value
                _ = try? Self.read([damaged[...]])
            }
        }
    }

    @Test func framesThatAreLeftOutAreGaps() {
        var numbers = FragmentNumbers()
        func number(_ time: UInt64, lasting duration: UInt64 = 3_000, isKeyframe: Bool = true) -> UInt16 {
            numbers.number(
                of: .init(
                    track: 0, decodeTime: time, duration: duration, isKeyframe: isKeyframe, captured: nil, byteCount: 1)
            )
        }
        #expect(number(0) == 1)
        #expect(number(3_000) == 2)
        // A frame may come a little later than the duration of the one before says.
        #expect(number(7_400) == 3)
        #expect(number(10_400 + 6_000) == 6)
        #expect(number(19_400) == 7)
        // The source has skipped frames, not the server.
        #expect(number(90_000, isKeyframe: false) == 8)
        // Times that step back, or a fragment without a duration, are no gap.
        #expect(number(0, lasting: 0) == 9)
        #expect(number(90_000) == 10)
    }
}
