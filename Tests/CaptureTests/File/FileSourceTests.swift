import Codecs
import Foundation
import Media
import Muxing
import Streams
import TestSupport
import Testing

@testable import Capture

@Suite struct FileSourceTests {
    private static let sample = "video/big-buck-bunny-480p-30s.mp4"

    /// Plays `path` in virtual time until `limit` units have been published, or to its end.
    private func play(
        _ path: String, loops: Bool = true, limit: Int = .max
    ) throws -> (tracks: [Track], units: [AccessUnit]) {
        let source = FileSource(.file(path), loops: loops, clock: VirtualClock().clock)
        var tracks: [Track] = []
        var units: [AccessUnit] = []
        try withoutActuallyEscaping({ (unit: AccessUnit) in
            units.append(unit)
            if units.count == limit { source.stop() }
        }) { publish in
            try withoutActuallyEscaping({ tracks = $0 }) { announce in
                try source.run(epoch: MonotonicTime(nanoseconds: 0), announce: announce, publish: publish)
            }
        }
        return (tracks, units)
    }

    private func expectOrder(_ units: [AccessUnit]) {
        for track in Set(units.map(\.track)) {
            let own = units.filter { $0.track == track }
            #expect(zip(own, own.dropFirst()).allSatisfy { $0.decodeTime.ticks < $1.decodeTime.ticks })
            #expect(own.allSatisfy { $0.presentationTime.ticks >= $0.decodeTime.ticks && $0.decodeTime.ticks >= 0 })
        }
        // In capture order, apart from the rounding of ticks and the audio cadence.
        #expect(
            zip(units, units.dropFirst()).allSatisfy {
                $0.decodeTime.nanoseconds <= $1.decodeTime.nanoseconds + 1_000_000
            })
    }

    @Test(.enabled(if: SharedData.isPresent, "needs ../shared/data"))
    func aFilePassesThroughAndLoopsWithoutAGap() throws {
        let perPass = 720 + 1408
        let (tracks, units) = try play(SharedData.path(Self.sample), limit: 2 * perPass - 20)
        #expect(tracks.map(\.kind) == [.video, .audio])
        expectOrder(units)
        let audio = units.filter { $0.track == TrackID(1) }
        #expect(zip(audio, audio.dropFirst()).allSatisfy { $1.decodeTime.ticks - $0.decodeTime.ticks == 1024 })
        let video = units.filter { $0.track == TrackID(0) }
        let steps = zip(video, video.dropFirst()).map { $1.decodeTime.ticks - $0.decodeTime.ticks }
        // 24 per second; between the passes 37 ms more, because the audio is longer.
        #expect(Set(steps).sorted() == [3750, 3750 + 3360])
        #expect(steps.count { $0 != 3750 } == 1)
        #expect(Set(video.prefix(720).map(\.presentationTime.ticks)).count == 720)
    }

    @Test(.enabled(if: SharedData.isPresent, "needs ../shared/data"))
    func everyNALUnitOfTheFileIsSentAndIDRFramesCarryTheirParameterSets() throws {
        let demuxer = try Demuxer(.file(SharedData.path(Self.sample)))
        var expected: [[UInt8]] = []
        while let packet = try demuxer.next() {
            guard packet.track == demuxer.tracks[0].index else { continue }
            let ranges = H264.LengthPrefixed.units(in: packet.bytes, lengthSize: 4).ranges
            expected += ranges.map { Array(packet.bytes[$0]) }
        }
        let (_, units) = try play(SharedData.path(Self.sample), loops: false)
        let video = units.filter { $0.track == TrackID(0) }
        func isSet(_ unit: [UInt8]) -> Bool { [7, 8].contains(unit[0] & 0x1F) }
        let sent = video.flatMap { unit in unit.units.map { Array(unit.bytes[$0]) } }
        #expect(sent.filter { !isSet($0) } == expected.filter { !isSet($0) })
        for unit in video {
            let types = unit.units.map { unit.bytes[$0.lowerBound] & 0x1F }
            #expect(unit.isKeyframe == types.contains(5))
            if unit.isKeyframe { #expect(types.contains(7) && types.contains(8)) }
        }
        #expect(video.first?.isKeyframe == true)
    }

    @Test(
        .enabled(if: SharedData.isPresent, "needs ../shared/data"),
        arguments: [
            ("h264/BA1_FT_C.264", 299), ("h264/VID_1280x720_cabac_temporal_direct.264", 300),
            ("h264/MIDR_MW_D.264", 100),
        ])
    func anElementaryStreamIsPlayedAtItsOwnRate(file: String, frameCount: Int) throws {
        let (tracks, units) = try play(SharedData.path(file), limit: frameCount * 2)
        #expect(tracks.map(\.kind) == [.video])
        expectOrder(units)
        let steps = Set(zip(units, units.dropFirst()).map { $1.decodeTime.ticks - $0.decodeTime.ticks })
        #expect(steps.count == 1 || steps.max()! - steps.min()! <= 1)
    }

    @Test func theEndOfAFileIsFinalUnlessItIsLooped() {
        #expect(FileSource(path: "video.mp4", loops: false).endsForGood)
        #expect(!FileSource(path: "video.mp4", loops: true).endsForGood)
    }

    @Test func aMissingFileIsReportedWithTheMostSimilarName() throws {
        let wrong = String(#filePath.dropLast("FileSourceTests.swift".count)) + "FileSourceTest.swft"
        let failure = #expect(throws: SourceFailure.self) { try play(wrong) }
        #expect(failure?.reason == "no file at \(wrong)")
        #expect(failure?.remedy.contains("FileSourceTests.swift") == true)
    }

    @Test func aFileThatIsNotAVideoIsRejectedWithARemedy() throws {
        let failure = #expect(throws: SourceFailure.self) { try play(#filePath) }
        #expect(failure?.remedy.isEmpty == false)
    }
}
