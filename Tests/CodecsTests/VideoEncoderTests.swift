import Codecs
import Media
import Testing

/// Encodes `count` frames; those in `forced` are forced to be keyframes.
private func encode(
    _ count: Int, _ settings: VideoEncoderSettings, forcing forced: Set<Int> = []
) throws -> [[AccessUnit]] {
    let encoder = try VideoEncoder(settings)
    let pool = VideoFramePool(width: settings.width, height: settings.height)
    return try (0..<count).map {
        try encoder.encode(
            makeFrame($0, from: pool), track: TrackID(0), presentationTime: time($0),
            forcingKeyframe: forced.contains($0))
    }
}

@Suite struct VideoEncoderTests {
    @Test func eachFrameGivesOneAccessUnit() throws {
        let units = try encode(40, smallSettings())
        #expect(units.allSatisfy { $0.count == 1 })
        #expect(units.joined().map(\.presentationTime) == (0..<40).map(time))
        #expect(units.joined().allSatisfy { $0.presentationTime == $0.decodeTime && $0.part == .whole })
    }

    @Test func keyframesAreExactlyWhereForced() throws {
        let units = try encode(40, smallSettings(), forcing: [7, 8, 21]).joined()
        let found = units.enumerated().filter { $0.element.isKeyframe }.map(\.offset)
        #expect(found == [0, 7, 8, 21])
    }

    @Test func thereIsOneKeyframePerGOP() throws {
        let units = try encode(31, smallSettings(gopFrames: 10)).joined()
        #expect(units.enumerated().filter { $0.element.isKeyframe }.map(\.offset) == [0, 10, 20, 30])
    }

    @Test(arguments: VideoEncoderSettings.Profile.allCases)
    func everyKeyframeCarriesItsParameterSets(profile: VideoEncoderSettings.Profile) throws {
        var settings = smallSettings(gopFrames: 5)
        settings.profile = profile
        let encoder = try VideoEncoder(settings)
        for unit in try encode(20, settings).joined() {
            let kinds = types(of: unit)
            #expect(kinds.contains(5) == unit.isKeyframe)
            #expect(kinds.contains(9) == false, "no access unit delimiters")
            guard unit.isKeyframe else { continue }
            let sets = unit.units.map { Array(unit.bytes[$0]) }
            #expect(sets.filter { $0[0] & 0x1F == 7 } == encoder.parameterSets.sequence)
            #expect(sets.filter { $0[0] & 0x1F == 8 } == encoder.parameterSets.picture)
        }
        let profileIDC = encoder.parameterSets.profileLevelID >> 16
        #expect(profileIDC == [.baseline: 66, .main: 77, .high: 100][profile])
    }

    @Test func theSequenceParameterSetHasTheRealFrameRate() throws {
        let encoder = try VideoEncoder(smallSettings())
        let sps = try #require(H264.SequenceParameterSet(parsing: encoder.parameterSets.sequence[0]))
        #expect(sps.width == 320 && sps.height == 240)
        #expect(sps.usability?.timing?.frameNanoseconds == 33_333_333)
        #expect(sps.usability?.reorderedFrames == 0)
    }

    @Test func encodedFramesDecodeToTheOriginal() throws {
        let settings = smallSettings()
        let decoder = try VideoDecoder()
        let scaler = Scaler(width: settings.width, height: settings.height)
        let pool = VideoFramePool(width: settings.width, height: settings.height)
        for unit in try encode(20, settings).joined() {
            for decoded in try decoder.decode(unit) {
                let number = Int((try #require(decoded.presentationTime) - 1_000) / 3_000)
                let (seen, drawn) = (try scaler.scale(decoded), try makeFrame(number, from: pool))
                #expect(meanDifference(seen, drawn) < 6, "frame \(number)")
            }
        }
    }

    @Test func theQuantizerOfEachFrameIsReportedAndPlausible() throws {
        let settings = smallSettings()
        let encoder = try VideoEncoder(settings)
        #expect(encoder.lastQuantizer == nil)
        let pool = VideoFramePool(width: settings.width, height: settings.height)
        for number in 0..<10 {
            _ = try encoder.encode(
                makeFrame(number, from: pool), track: TrackID(0), presentationTime: time(number),
                forcingKeyframe: false)
            #expect((1...51).contains(try #require(encoder.lastQuantizer)))
        }
    }

    @Test func aRunningEncoderAllocatesOneFrame() throws {
        let encoder = try VideoEncoder(smallSettings())
        let pool = VideoFramePool(width: 320, height: 240)
        for number in 0..<50 {
            _ = try encoder.encode(
                makeFrame(number, from: pool), track: TrackID(0), presentationTime: time(number),
                forcingKeyframe: false)
        }
        #expect(pool.allocatedCount == 1)
    }

    @Test(arguments: ["nonsense", "libmp3lame", "h264_nvenc"])
    func invalidEncoderSettingsAreRejectedWithARemedy(name: String) {
        var settings = smallSettings()
        settings.encoder = name
        settings.encoderFallback = false
        let failure = #expect(throws: CodecFailure.self) { try VideoEncoder(settings) }
        #expect(failure?.reason.contains(name) == true)
        #expect(failure?.remedy.isEmpty == false)
    }

    @Test(arguments: [(0, 240), (321, 240), (320, -2), (1 << 20, 16), (8, 8)])
    func anInvalidFrameSizeIsRejected(width: Int, height: Int) {
        var settings = smallSettings()
        settings.width = width
        settings.height = height
        #expect(throws: CodecFailure.self) { try VideoEncoder(settings) }
        #expect(throws: CodecFailure.self) { try VideoFrame(width: width, height: height) }
    }

    @Test func aFrameOfTheWrongSizeIsRejected() throws {
        let encoder = try VideoEncoder(smallSettings())
        let frame = try VideoFrame(width: 640, height: 480)
        #expect(throws: CodecFailure.self) {
            try encoder.encode(frame, track: TrackID(0), presentationTime: time(0), forcingKeyframe: false)
        }
    }

    @Test(arguments: [(30, 1, "30"), (30_000, 1_001, "29.97"), (25, 2, "12.50"), (1, 10, "0.10")])
    func frameRatesArePrintedInDecimalNotation(numerator: Int32, denominator: Int32, text: String) throws {
        #expect(try #require(FrameRate(numerator, denominator)).description == text)
    }

    @Test(arguments: [(0, 1), (1, 0), (-30, -1), (1, 11), (1001, 1)])
    func invalidFrameRatesAreRejected(numerator: Int32, denominator: Int32) {
        #expect(FrameRate(numerator, denominator) == nil)
    }

    private func meanDifference(_ left: VideoFrame, _ right: VideoFrame) -> Int {
        var sum = 0
        for y in 0..<left.height {
            for x in 0..<left.width { sum += abs(Int(left.luma[x, y]) - Int(right.luma[x, y])) }
        }
        return sum / (left.width * left.height)
    }
}
