import TestSupport
import Testing

@testable import Media

@Suite struct CaptureTimestampTests {
    private static func random(_ random: inout SplitMix64) -> CaptureTimestamp {
        CaptureTimestamp(
            // Many zeros, which must be escaped.
            frameNumber: .random(in: 0..<512, using: &random),
            wallClock: NTPTime(rawValue: .random(in: 0...UInt64.max, using: &random) & 0xFF00_0000_0000_FFFF),
            monotonic: MonotonicTime(nanoseconds: .random(in: -5...Int64.max, using: &random) & 0xFF_0000_00FF),
            encodingBegins: .random(in: 0..<4, using: &random),
            encodingEnds: Bool.random(using: &random) ? .random(in: 0..<UInt32.max, using: &random) : nil)
    }

    @Test func aWrittenTimestampIsParsedAndContainsNoStartCode() {
        var random = SplitMix64(seed: 7)
        for _ in 0..<2_000 {
            let timestamp = Self.random(&random)
            let unit = timestamp.nalUnit
            #expect(CaptureTimestamp(parsing: unit) == timestamp)
            let windows = zip(unit, zip(unit.dropFirst(), unit.dropFirst(2)))
            #expect(!windows.contains { $0 == 0 && $1.0 == 0 && $1.1 < 3 })
            #expect(unit.last == 0x80)
        }
    }

    @Test func theBytesMatchTheDocumentation() {
        let timestamp = CaptureTimestamp(
            frameNumber: 0x0102_0304, wallClock: NTPTime(rawValue: 0x1112_1314_1516_1718),
            monotonic: MonotonicTime(nanoseconds: 0x2122_2324_2526_2728), encodingBegins: 0x3132_3334)
        let expected: [UInt8] =
            [6, 5, 46] + CaptureTimestamp.identifier + [1, 0, 1, 2, 3, 4] + Array(0x11...0x18) + Array(0x21...0x28)
            + Array(0x31...0x34) + [0xFF, 0xFF, 0xFF, 0xFF, 0x80]
        #expect(timestamp.nalUnit == expected)
    }

    @Test func aTruncatedUnitHasNoTimestamp() {
        var random = SplitMix64(seed: 8)
        let unit = Self.random(&random).nalUnit
        for length in 0..<unit.count - 1 { #expect(CaptureTimestamp(parsing: Array(unit.prefix(length))) == nil) }
    }

    @Test func theTimestampIsFoundAfterOtherMessages() {
        var random = SplitMix64(seed: 9)
        let timestamp = Self.random(&random)
        let own = H264.RawByteSequence(of: timestamp.nalUnit).bytes
        let foreign = H264.RawByteSequence(
            of: H264.SupplementalEnhancement.unit(.unregisteredUserData, payload: random.bytes(600))
        ).bytes.dropLast()
        let unit = [6] + H264.RawByteSequence.escaped([1, 3, 0, 0, 0] + foreign + own)
        #expect(CaptureTimestamp(parsing: unit) == timestamp)
    }

    @Test func randomBytesNeverTrap() {
        var random = SplitMix64(seed: 10)
        for _ in 0..<20_000 {
            var unit = Self.random(&random).nalUnit
            for _ in 0..<Int.random(in: 0..<8, using: &random) {
                unit[Int.random(in: 1..<unit.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            _ = CaptureTimestamp(parsing: unit)
        }
    }

    @Test func theTimestampIsInsertedBeforeTheFirstSliceAndOtherUnitsStay() throws {
        var random = SplitMix64(seed: 11)
        let timestamp = Self.random(&random)
        let units: [[UInt8]] = [[0x67, 1], [0x68, 2], [6, 5, 1, 9, 0x80], [0x65, 3], [0x65, 4]]
        let time = MediaTime(ticks: 90_000, rate: .video)
        let plain = AccessUnit(
            track: TrackID(0), presentationTime: time, decodeTime: time, isKeyframe: true, nalUnits: units)
        #expect(plain.captureTimestamp == nil)
        let stamped = plain.stamped(with: timestamp)
        #expect(stamped.captureTimestamp == timestamp)
        let found = stamped.units.map { Array(stamped.bytes[$0]) }
        #expect(found == Array(units[..<3]) + [timestamp.nalUnit] + Array(units[3...]))
        #expect(stamped.isKeyframe && stamped.presentationTime == time)
    }
}
