import Codecs
import Foundation
import Media
import TestSupport
import Testing

@testable import Measuring

/// Image files with a timestamp overlay.
@Suite struct ScreenshotTests {
    private static let captured: Int64 = 1_795_273_445_123_400_000
    private static let code = TimestampOverlay(unixNanoseconds: captured, frameNumber: 1234)
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Writes a grey image with the overlay as a portable grey map, and converts it by ffmpeg.
    private func image(_ name: String, _ options: [String] = []) async throws -> String {
        let frame = try VideoFrame(width: 400, height: 240)
        frame.luma.fill(x: 0..<400, y: 0..<240, with: 90)
        Self.code.draw(in: .bottomRight, of: frame)
        let grey = folder.file("shot.pgm")
        let header = Array("P5 400 240 255\n".utf8)
        try Data(header + LumaFrame(frame).samples).write(to: URL(filePath: grey))
        guard name != "shot.pgm" else { return grey }
        let file = folder.file(name)
        let outcome = try await Command.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", grey] + options + [file], within: 30)
        #expect(outcome.status == 0, "\(outcome.diagnostics)")
        return file
    }

    private func write(_ bytes: [UInt8], to file: String) throws { try Data(bytes).write(to: URL(filePath: file)) }
    private func bytes(of file: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: file))) }

    @Test(arguments: ["shot.pgm", "shot.png", "shot.jpg", "shot.bmp", "shot.ppm", "shot.tiff", "shot.gif"])
    func everyImageFormatIsRead(name: String) async throws {
        let measurement = try ScreenshotMeasurement(of: try await image(name))
        #expect(measurement.findings.map(\.code) == [Self.code])
        #expect((measurement.width, measurement.height) == (400, 240))
        #expect(measurement.imageTime.source == .modification)
    }

    @Test func theDelayRefersToTheGivenTime() async throws {
        let time = try #require(WrittenTime("2026-11-21T15:04:05.25Z"))
        let measurement = try ScreenshotMeasurement(of: try await image("shot.png", ["-s", "627x411"]), takenAt: time)
        #expect(measurement.delay(of: Self.code) == time.unixNanoseconds - Self.captured)
        #expect(measurement.imageTime.source == .given)
        let report = ScreenshotReport(measurement)
        #expect(report.table.contains("2026-11-21T15:04:05.1234Z  frame 1234, 126.6 ms before"))
    }

    @Test func theTimeOfAPNGIsInWholeSeconds() async throws {
        let file = try await image("shot.png")
        var bytes = try bytes(of: file)
        // tIME after IHDR, 2026-11-21 15:04:06. The CRC is not checked.
        bytes.insert(
            contentsOf: [0, 0, 0, 7] + Array("tIME".utf8) + [0x07, 0xEA, 11, 21, 15, 4, 6, 0, 0, 0, 0], at: 33)
        let time = ImageTime(given: nil, bytes: bytes, modified: WrittenTime(unixNanoseconds: 0, resolution: 1))
        #expect(time.source == .png)
        #expect(time.time == WrittenTime("2026-11-21T15:04:06Z"))
        #expect(time.time.resolution == 1_000_000_000)
        try write(bytes, to: file)
        let report = ScreenshotReport(try ScreenshotMeasurement(of: file))
        #expect(report.table.contains("in whole seconds"))
        #expect(report.table.contains("876.6 ms to 1876.6 ms before"))
    }

    @Test(arguments: [false, true])
    func exifHasPrecedenceOverOtherTimes(isLittleEndian: Bool) async throws {
        let exif = Exif(isLittleEndian: isLittleEndian)
        let tiff = exif.tiff(time: "2026:11:21 16:04:05", fraction: "40", zone: "+01:00")
        let file = try await image("shot.jpg")
        var bytes = try bytes(of: file)
        let segment = Array("Exif\0\0".utf8) + tiff
        bytes.insert(contentsOf: [0xFF, 0xE1, 0, UInt8(segment.count + 2)] + segment, at: 2)
        try write(bytes, to: file)
        let measurement = try ScreenshotMeasurement(of: file)
        #expect(measurement.imageTime.source == .exif)
        #expect(measurement.imageTime.time == WrittenTime("2026-11-21T15:04:05.40Z"))
        #expect(measurement.delay(of: Self.code) == 276_600_000)
        for length in 0..<tiff.count { #expect(ExifTime(tiff: tiff.prefix(length)) == nil) }
    }

    @Test func filesWithoutImageOrOverlayAreRefused() async throws {
        let text = folder.file("notes.txt")
        try write(Array("no image".utf8), to: text)
        let short = folder.file("short.png")
        try write(Array(try bytes(of: try await image("shot.png")).prefix(60)), to: short)
        let plain = folder.file("plain.pgm")
        try write(Array("P5 4 4 255\n".utf8) + [UInt8](repeating: 9, count: 16), to: plain)
        let expected = [
            (text, "not an image in a known format"), (short, "damaged or incomplete"),
            (plain, "no readable timestamp overlay"),
            (folder.file("nowhere.png"), "No such file"), (folder.file(""), "not a file"), ("/dev/null", "not a file"),
        ]
        for (file, words) in expected {
            let failure = #expect(throws: ScreenshotFailure.self) { try ScreenshotMeasurement(of: file) }
            #expect(failure?.description.contains(words) == true, "\(failure?.description ?? "")")
        }
    }

    @Test func writtenTimesAreParsed() {
        let written = [
            ("2026-11-21T15:04:05.1234Z", Self.captured, 100_000),
            ("2026-11-21 16:04:05.1234+01:00", Self.captured, 100_000),
            ("1795273445.1234", Self.captured, 100_000),
            ("1795273445", Self.captured / 1_000_000_000 * 1_000_000_000, 1_000_000_000),
            ("2026:11:21 14:34:05.123400000-00:30", Self.captured, 1), ("1970-01-01T00:00:00z", 0, 1_000_000_000),
        ]
        for (text, nanoseconds, resolution) in written {
            let time = WrittenTime(text)
            #expect(time?.unixNanoseconds == nanoseconds, "\(text)")
            #expect(time?.resolution == Int64(resolution), "\(text)")
            #expect(time?.namesZone == true)
        }
        #expect(WrittenTime("2026-11-21T15:04:05")?.namesZone == false)
        for text in [
            "", "x", "2026", "2026-02-30T15:04:05Z", "2027-02-29T15:04:05Z", "1970-01-01T00:00:00+01:00", "2026-11-21",
            "2026-13-21T15:04:05Z", "2026-11-21T25:04:05Z", "2026-11-21T15:04:05.Z",
            "2026-11-21T15:04:05Q", "2026-11-21T15:04:05+1", "99999999999999999999", "1.", "1..2",
            "0000:00:00 00:00:00", "-1",
            "2026-11-21T15:04:05Z ",
        ] { #expect(WrittenTime(text) == nil, "\(text)") }
    }

    @Test func randomBytesContainNoTime() {
        var random = SplitMix64(seed: 4)
        for count in 0..<400 {
            let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            #expect(ExifTime(tiff: [0x49, 0x49, 0x2A, 0] + bytes) == nil)
            for start: [UInt8] in [[0xFF, 0xD8, 0xFF, 0xE1], [0x89, 0x50, 0x4E, 0x47]] {
                let modified = WrittenTime(unixNanoseconds: 7, resolution: 1)
                #expect(ImageTime(given: nil, bytes: start + bytes, modified: modified).source == .modification)
            }
        }
    }
}

/// Writes a TIFF structure with the times of an image.
private struct Exif {
    let isLittleEndian: Bool

    private func number(_ value: Int, _ byteCount: Int) -> [UInt8] {
        let big = (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * (byteCount - 1 - $0))) }
        return isLittleEndian ? big.reversed() : big
    }

    private func entry(_ tag: Int, type: Int, count: Int, _ value: [UInt8]) -> [UInt8] {
        number(tag, 2) + number(type, 2) + number(count, 4) + value
    }

    /// A main directory at offset 8 that refers to a directory at 26 with three texts.
    func tiff(time: String, fraction: String, zone: String) -> [UInt8] {
        let texts = Array(time.utf8) + [0] + Array(zone.utf8) + [0]
        var bytes: [UInt8] = (isLittleEndian ? [0x49, 0x49, 0x2A, 0] : [0x4D, 0x4D, 0, 0x2A]) + number(8, 4)
        bytes += number(1, 2) + entry(0x8769, type: 4, count: 1, number(26, 4)) + number(0, 4)
        let start = 26 + 2 + 3 * 12 + 4
        bytes += number(3, 2)
        bytes += entry(0x9003, type: 2, count: time.utf8.count + 1, number(start, 4))
        bytes += entry(0x9011, type: 2, count: zone.utf8.count + 1, number(start + time.utf8.count + 1, 4))
        let short = Array(fraction.utf8) + [UInt8](repeating: 0, count: 4 - fraction.utf8.count)
        bytes += entry(0x9291, type: 2, count: fraction.utf8.count + 1, short)
        return bytes + number(0, 4) + texts
    }
}
