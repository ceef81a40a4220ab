import Codecs
import Media
import Testing

@testable import Capture

/// What viewers see while a source is absent.
struct SlateTests {
    private static func track(
        width: Int = 320, height: Int = 180, profile: VideoEncoderSettings.Profile = .main
    ) throws -> (track: Track, keyframe: AccessUnit) {
        var settings = VideoEncoderSettings()
        (settings.width, settings.height, settings.profile, settings.encoder) = (width, height, profile, "libx264")
        let encoder = try VideoEncoder(settings)
        let frame = try VideoFrame(width: width, height: height)
        frame.luma.fill(x: 0..<width, y: 0..<height, with: 200)
        for plane in [frame.cb, frame.cr] { plane.fill(x: 0..<plane.width, y: 0..<plane.height, with: 128) }
        let units = try encoder.encode(
            frame, track: TrackID(0), presentationTime: MediaTime(ticks: 0, rate: .video), forcingKeyframe: true)
        return (Track(id: TrackID(0), format: .h264(encoder.parameterSets)), try #require(units.first))
    }

    private static func audio(_ rate: ClockRate = .audio48k, channelCount: Int = 2) throws -> Track {
        var settings = AudioEncoder.Settings()
        (settings.sampleRate, settings.channelCount) = (rate, channelCount)
        return Track(id: TrackID(1), format: .aac(try AudioEncoder(settings).configuration))
    }

    /// The average luma below the notice.
    private static func luma(of frames: [VideoFrame]) -> Int? {
        frames.last.map { frame in
            let rows = frame.height / 2..<frame.height
            let sum = rows.reduce(0) { sum, y in (0..<frame.width).reduce(sum) { $0 + Int(frame.luma[$1, y]) } }
            return sum / (rows.count * frame.width)
        }
    }

    private static func decoded(_ units: [AccessUnit]) throws -> [VideoFrame] {
        let isH265 = units.first.map { H265.NALUnitType(firstByte: $0.bytes[0]).isParameterSet } == true
        let decoder = try VideoDecoder(isH265 ? .h265 : .h264)
        let frames = try units.filter { $0.track == TrackID(0) }.flatMap { try decoder.decode($0) } + decoder.finish()
        let scaler = Scaler(width: 320, height: 180)
        return try frames.map { try scaler.scale($0) }
    }

    @Test(arguments: VideoEncoderSettings.Profile.allCases)
    func theSlateHasTheAnnouncedSizeAndProfile(_ profile: VideoEncoderSettings.Profile) throws {
        let (track, _) = try Self.track(profile: profile)
        let announced = try #require(track.sequenceParameterSet)
        let slate = try Slate([track], .slate, lastKeyframe: nil)
        let unit = try #require(try slate.units(at: 0, elapsedSeconds: 2, forcingKeyframe: true).first)
        #expect(unit.isKeyframe)
        let inBand = unit.units.map { Array(unit.bytes[$0]) }
        let set = try #require(inBand.lazy.compactMap { H264.SequenceParameterSet(parsing: $0) }.first)
        #expect((set.width, set.height) == (announced.width, announced.height))
        #expect(set.profile == announced.profile)
    }

    @Test func theSlateOfH265IsH265() throws {
        let track = try AnnouncedTrack.h265(width: 320, height: 180).track(TrackID(0))
        let slate = try Slate([track], .slate, lastKeyframe: nil)
        var units: [AccessUnit] = []
        for index in 0..<12 {
            let encoded = try slate.units(
                at: Int64(index) * 200_000_000, elapsedSeconds: 2, forcingKeyframe: index == 4)
            #expect(encoded.count == 1)
            units += encoded
        }
        // The first, the one that was ordered, and none again within 2 s.
        #expect(units.indices.filter { units[$0].isKeyframe } == [0, 4])
        let first = try #require(units.first)
        let set = first.units.lazy.compactMap { H265.SequenceParameterSet(parsing: Array(first.bytes[$0])) }.first
        #expect(set.map { [$0.width, $0.height] } == [320, 180])
        let frames = try Self.decoded(units)
        #expect(frames.count == 12)
        #expect(Self.luma(of: frames).map { (35...45).contains($0) } == true)
        // The last frame of a source of H.265 is shown.
        let last = try Self.decoded(
            try Slate([track], .lastFrame, lastKeyframe: first).units(at: 0, elapsedSeconds: 0, forcingKeyframe: true))
        #expect(last.count == 1)
    }

    @Test func theLastFrameOrADarkOneIsShownWithANotice() throws {
        let (track, keyframe) = try Self.track()
        let cases: [(AbsenceDisplay, AccessUnit?, ClosedRange<Int>)] = [
            (.lastFrame, keyframe, 195...205), (.lastFrame, nil, 35...45), (.slate, keyframe, 35...45),
        ]
        for (display, lastKeyframe, expected) in cases {
            let slate = try Slate([track], display, lastKeyframe: lastKeyframe)
            let units = try slate.units(at: 0, elapsedSeconds: 3_661, forcingKeyframe: true)
            let frames = try Self.decoded(units)
            #expect(Self.luma(of: frames).map { expected.contains($0) } == true)
            // Letters are white on black.
            let notice = try #require(frames.last)
            let samples = (15..<60).flatMap { y in (0..<320).map { notice.luma[$0, y] } }
            #expect(samples.contains { $0 < 60 } && samples.contains { $0 > 150 })
        }
        #expect(SlateRenderer.elapsed(3_661) == "1:01:01")
    }

    /// A damaged last frame is no reason to show nothing.
    @Test func aFrameThatCannotBeDecodedIsReplacedByTheSlate() throws {
        let (track, keyframe) = try Self.track()
        let broken = AccessUnit(
            track: TrackID(0), presentationTime: keyframe.presentationTime, decodeTime: keyframe.decodeTime,
            isKeyframe: true, bytes: [0x65, 1, 2, 3], units: [0..<4])
        let slate = try Slate([track], .lastFrame, lastKeyframe: broken)
        let frames = try Self.decoded(try slate.units(at: 0, elapsedSeconds: 0, forcingKeyframe: true))
        #expect(Self.luma(of: frames) != nil)
    }

    @Test(arguments: [(ClockRate.audio48k, 2), (ClockRate(hertz: 44_100)!, 1)])
    func silenceIsOneUnitWithoutGaps(_ rate: ClockRate, _ channelCount: Int) throws {
        let track = try Self.audio(rate, channelCount: channelCount)
        var silence = try #require(try SilentTrack(track))
        var units: [AccessUnit] = []
        for step in 0...10 as ClosedRange<Int64> { units += silence.units(until: 1_000_000_000 + step * 200_000_000) }
        #expect(Set(units.map(\.bytes)).count == 1)
        let ticks = units.map(\.presentationTime.ticks)
        #expect(ticks.first == rate.ticks(inNanoseconds: 1_000_000_000))
        #expect(zip(ticks, ticks.dropFirst()).allSatisfy { $1 - $0 == 1_024 })
        #expect(abs(ticks.count - 2 * rate.hertzNumber / 1_024) <= 1)
        guard case .aac(let configuration) = track.format else { return }
        let decoder = try AudioDecoder(configuration)
        let decoded = try units.flatMap { try decoder.decode($0) }
        #expect(decoded.count >= units.count - 1)
        #expect(decoded.allSatisfy { $0.channelCount == channelCount })
    }

    @Test func theSilenceOfOpusAndG711HasNoGaps() throws {
        let tracks: [AnnouncedTrack] = [
            .opus(channelCount: 1), .opus(channelCount: 2),
            .g711(try #require(G711(.a, sampleRate: ClockRate(hertz: 8_000)!, channelCount: 1))),
            .g711(try #require(G711(.mu, sampleRate: ClockRate(hertz: 48_000)!, channelCount: 2))),
        ]
        for announced in tracks {
            let track = try announced.track(TrackID(0))
            var silence = SilentTracks()
            let units = try silence.units(of: [track], until: 0) + silence.units(of: [track], until: 200_000_000)
            let ticks = units.map(\.presentationTime.ticks)
            let length = try #require(ticks.dropFirst().first) - ticks[0]
            #expect(zip(ticks, ticks.dropFirst()).allSatisfy { $1 - $0 == length })
            switch track.format {
            case .opus(let channelCount):
                #expect(units.allSatisfy { Opus.sampleCount(of: $0.bytes) == 960 } && length == 960)
                #expect((units[0].bytes[0] & 4 != 0) == (channelCount == 2))
            case .g711(let format):
                #expect(units[0].bytes.count == Int(length) * format.channelCount)
                #expect(units[0].bytes.count <= format.maximumUnitByteCount)
            default: Issue.record("no audio")
            }
        }
    }

    @Test func audioThatIsNoAACLCStaysAway() throws {
        // Explicit SBR: the frames have twice the samples of the core's.
        let bytes: [UInt8] = [0x2B, 0x11, 0x88, 0x00]
        let configuration = AAC.AudioSpecificConfig(bytes: bytes, sampleRate: .audio48k, channelCount: 2)
        let silence = try SilentTrack(Track(id: TrackID(1), format: .aac(configuration)))
        #expect(silence == nil)
    }
}

extension Track {
    fileprivate var sequenceParameterSet: H264.SequenceParameterSet? {
        guard case .h264(let sets) = format else { return nil }
        return H264.SequenceParameterSet(parsing: sets.sequence[0])
    }
}

extension ClockRate {
    fileprivate var hertzNumber: Int { Int(hertz) }
}
