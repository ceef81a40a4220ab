import Codecs
import Media
import Synchronization
import Testing

/// Log lines of the libraries, collected by a sink that must not capture anything.
private let loggedLines = Mutex<[String]>([])

@Suite struct DecoderTests {
    /// Encoded grey frames with noise from a fixed seed.
    private func noise(
        _ count: Int, bitrate: Int = 400_000, change: (at: Int, to: Int)? = nil
    ) throws -> [AccessUnit] {
        var settings = VideoEncoderSettings()
        (settings.width, settings.height, settings.bitrate) = (320, 240, bitrate)
        let encoder = try VideoEncoder(settings)
        var state: UInt32 = 1
        return try (0..<count).flatMap { number -> [AccessUnit] in
            if let change, change.at == number {
                settings.bitrate = change.to
                try encoder.change(to: settings)
            }
            let frame = try VideoFrame(width: 320, height: 240)
            for plane in [frame.luma, frame.cb, frame.cr] {
                for y in 0..<plane.height {
                    for x in 0..<plane.width {
                        state = state &* 1_664_525 &+ 1_013_904_223
                        plane[x, y] = 100 + UInt8(state >> 26)
                    }
                }
            }
            return try encoder.encode(
                frame, track: TrackID(0), presentationTime: MediaTime(ticks: Int64(number) * 3000, rate: .video),
                forcingKeyframe: false)
        }
    }

    @Test func aNewBitrateTakesEffectWithoutAKeyframe() throws {
        let units = try noise(55, bitrate: 800_000, change: (at: 25, to: 400_000))
        let before = units[10..<25].map(\.bytes.count).reduce(0, +)
        let after = units[40..<55].map(\.bytes.count).reduce(0, +)
        #expect((0.35...0.65).contains(Double(after) / Double(before)))
        #expect(units.filter(\.isKeyframe).count == 1)
    }

    @Test func damagedAccessUnitsLoseOnlyTheirFrames() throws {
        let units = try noise(20)
        var state: UInt32 = 7
        let decoder = try VideoDecoder()
        for unit in units {
            var bytes = unit.bytes
            for _ in 0..<8 {
                state = state &* 1_664_525 &+ 1_013_904_223
                bytes[Int(state >> 8) % bytes.count] = UInt8(truncatingIfNeeded: state >> 24)
            }
            let damaged = AccessUnit(
                track: unit.track, presentationTime: unit.presentationTime, decodeTime: unit.decodeTime,
                isKeyframe: unit.isKeyframe, bytes: bytes, units: unit.units)
            _ = try decoder.decode(damaged)
        }
        _ = try decoder.finish()
        // A fresh decoder shows all frames of the same stream without damage.
        let fresh = try VideoDecoder()
        let shown = try units.flatMap { try fresh.decode($0) } + fresh.finish()
        #expect(shown.count == 20)
    }

    @Test(arguments: [(320, 240), (160, 120), (640, 360), (64, 48)])
    func scalingKeepsTheBrightness(width: Int, height: Int) throws {
        let decoder = try VideoDecoder()
        let decoded = try noise(2).flatMap { try decoder.decode($0) } + decoder.finish()
        let frame = try Scaler(width: width, height: height).scale(try #require(decoded.first))
        #expect(frame.width == width && frame.height == height)
        var sum = 0
        for y in 0..<height {
            for x in 0..<width { sum += Int(frame.luma[x, y]) }
        }
        #expect(abs(sum / (width * height) - 131) < 6)
    }

    @Test func libraryLogLinesReachTheSinkOneByOne() throws {
        CodecLog.setSink { _, line in
            guard let line else { return }
            let text = String(cString: line)
            loggedLines.withLock { $0.append(text) }
        }
        defer { CodecLog.setSink(nil) }
        let time = MediaTime(ticks: 0, rate: .video)
        let slice: [UInt8] = [0x65, 0x88, 0x84, 0x00, 0x10]
        let orphan = AccessUnit(
            track: TrackID(0), presentationTime: time, decodeTime: time, isKeyframe: true, bytes: slice,
            units: [0..<slice.count])
        _ = try VideoDecoder().decode(orphan)
        let lines = loggedLines.withLock { $0 }
        #expect(lines.contains { $0.contains("PPS") })
        #expect(lines.allSatisfy { !$0.contains("\n") })
    }
}
