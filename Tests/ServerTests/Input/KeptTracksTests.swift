import Foundation
import Logging
import Media
import TestSupport
import Testing

@testable import Server

/// The tracks of sources that are kept for the next start.
struct KeptTracksTests {
    private let folder: TemporaryFolder
    private let lines = Lines()
    private var file: String { folder.file("tracks.json") }

    init() throws {
        folder = try TemporaryFolder()
    }

    private func kept() -> KeptTracks { KeptTracks(in: StateFolder(at: folder.path), log: lines.logger) }

    private static let tracks: [Track] = [
        Track(
            id: TrackID(0),
            format: .h264(.init(sequence: [[0x67, 0x42, 0xC0, 0x1E, 0x95]], picture: [[0x68, 0xCE, 0x3C, 0x80]])!)),
        Track(id: TrackID(1), format: .aac(.init(parsing: [0x11, 0x90])!)),
    ]

    @Test func tracksAreKnownAfterARestart() throws {
        let opus = [Track(id: TrackID(0), format: .opus(channelCount: 2))]
        let g711 = [
            Track(id: TrackID(0), format: .g711(G711(.mu, sampleRate: ClockRate(hertz: 8_000)!, channelCount: 1)!))
        ]
        let first = kept()
        #expect(first.tracks(of: "cam") == nil)
        for (path, tracks) in [("cam", opus), ("cam", Self.tracks), ("opus", opus), ("phone", g711)] {
            first.keep(tracks, of: path)
        }
        first.flush()
        let second = kept()
        #expect(second.tracks(of: "cam") == Self.tracks)
        #expect(second.tracks(of: "opus") == opus && second.tracks(of: "phone") == g711)
        #expect(lines.all.isEmpty)
        // Nothing else is left in the folder.
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["tracks.json"])
    }

    @Test func aDamagedFileIsIgnoredAndReplaced() throws {
        let first = kept()
        first.keep(Self.tracks, of: "cam")
        first.flush()
        let good = try Data(contentsOf: URL(filePath: file))
        let damaged: [Data] = [
            Data(), Data("{".utf8), Data("[]".utf8), good.prefix(good.count / 2),
            Data(String(decoding: good, as: UTF8.self).replacing("\"H264\"", with: "\"H265\"").utf8),
            Data(String(decoding: good, as: UTF8.self).replacing("48000", with: "0").utf8),
            Data(repeating: 0x20, count: 2_000_001),
        ]
        for data in damaged {
            try data.write(to: URL(filePath: file))
            let kept = kept()
            let before = lines.all.count
            #expect(kept.tracks(of: "cam") == nil)
            #expect(lines.all.count == before + 1 && lines.all.last?.contains("tracks.json") == true)
            kept.keep(Self.tracks, of: "cam")
            kept.flush()
            #expect(self.kept().tracks(of: "cam") == Self.tracks)
        }
    }

    @Test func theFileIsBounded() {
        let first = kept()
        for index in 0...KeptTracks.maximumPathCount { first.keep(Self.tracks, of: "path\(index)") }
        first.flush()
        let second = kept()
        #expect(second.tracks(of: "path0") == nil)
        #expect(second.tracks(of: "path1") != nil && second.tracks(of: "path\(KeptTracks.maximumPathCount)") != nil)
    }

    @Test func withoutAFolderNothingIsKept() {
        let kept = KeptTracks(in: nil, log: lines.logger)
        kept.keep(Self.tracks, of: "cam")
        kept.flush()
        #expect(kept.tracks(of: "cam") == nil && lines.all.isEmpty)
    }
}
