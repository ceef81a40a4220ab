import Codecs
import Media
import Testing

/// Changes of the settings of a running encoder.
@Suite struct EncoderChangeTests {
    @Test func theGOPLengthChangesWhileTheEncoderRuns() throws {
        let encoder = try VideoEncoder(smallSettings(gopFrames: 10))
        var units = try encoder.encode(0..<25)
        var settings = encoder.settings
        settings.gopFrames = 4
        try encoder.change(to: settings)
        units += try encoder.encode(25..<34)
        settings.gopFrames = 500
        try encoder.change(to: settings)
        units += try encoder.encode(34..<100)
        #expect(keyframeNumbers(units) == [0, 10, 20, 25, 29, 33])
    }

    @Test func aForcedKeyframeStartsAGOP() throws {
        let encoder = try VideoEncoder(smallSettings(gopFrames: 10))
        #expect(keyframeNumbers(try encoder.encode(0..<30, forcing: [7])) == [0, 7, 17, 27])
    }

    @Test func aNewSizeComesWithInBandParameterSets() throws {
        let encoder = try VideoEncoder(smallSettings())
        let before = encoder.parameterSets
        var units = try encoder.encode(0..<10)
        var settings = encoder.settings
        (settings.width, settings.height) = (640, 360)
        settings.frameRate = try #require(FrameRate(15))
        try encoder.change(to: settings)
        #expect(encoder.parameterSets != before)
        units += try encoder.encode(10..<20)
        #expect(keyframeNumbers(units) == [0, 10])
        let first = units[10].units.map { Array(units[10].bytes[$0]) }
        #expect(first.filter { $0[0] & 0x1F == 7 } == encoder.parameterSets.sequence)
        #expect(first.filter { $0[0] & 0x1F == 8 } == encoder.parameterSets.picture)
        let sps = try #require(H264.SequenceParameterSet(parsing: encoder.parameterSets.sequence[0]))
        #expect((sps.width, sps.height) == (640, 360))
        #expect(sps.usability?.timing?.frameNanoseconds == 66_666_666)
        let decoder = try VideoDecoder()
        let sizes = try (units.flatMap { try decoder.decode($0) } + decoder.finish()).map(\.width)
        #expect(sizes == Array(repeating: 320, count: 10) + Array(repeating: 640, count: 10))
    }

    @Test func settingsThatNoEncoderAcceptsLeaveTheOldOnesInForce() throws {
        let encoder = try VideoEncoder(smallSettings())
        _ = try encoder.encode(0..<5)
        for spoil: (inout VideoEncoderSettings) -> Void in [
            { $0.width = 321 }, { $0.bitrate = 0 }, { ($0.encoder, $0.encoderFallback) = ("nonsense", false) },
        ] {
            var settings = encoder.settings
            spoil(&settings)
            let failure = #expect(throws: CodecFailure.self) { try encoder.change(to: settings) }
            #expect(failure?.remedy.isEmpty == false)
        }
        #expect(encoder.settings == smallSettings())
        #expect(keyframeNumbers(try encoder.encode(5..<10)).isEmpty)
    }

    @Test func withIntraRefreshOnlyIDRPicturesAreKeyframes() throws {
        var settings = smallSettings(gopFrames: 10)
        settings.intraRefresh = true
        let encoder = try VideoEncoder(settings)
        let units = try encoder.encode(0..<60, forcing: [33])
        #expect(keyframeNumbers(units) == [0, 33])
        #expect(units.allSatisfy { $0.isKeyframe == types(of: $0).contains(5) })
        // There are recovery points (SEI payload type 6), so the columns of intra refresh do pass.
        let recoveryPoints = units.filter { unit in
            unit.units.contains { unit.bytes[$0].prefix(2).elementsEqual([6, 6]) }
        }
        #expect(recoveryPoints.count >= 3)
        #expect(recoveryPoints.contains { !$0.isKeyframe })
    }

    @Test func aForcedIDRPictureDuringIntraRefreshDecodesAlone() throws {
        var settings = smallSettings(gopFrames: 10)
        settings.intraRefresh = true
        let units = try VideoEncoder(settings).encode(0..<60, forcing: [33])
        let decoder = try VideoDecoder()
        let decoded = try units[33...].flatMap { try decoder.decode($0) } + decoder.finish()
        #expect(decoded.count == 27)
    }
}
