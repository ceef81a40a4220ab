import Foundation
import Logging
import Media
import RTSPServer
import Streams
import TestSupport
import Testing

@testable import Server

/// Paths that show something while their source is absent.
@Suite(.serialized)
struct AbsentTests {
    private static func serving(
        _ path: String, others: String = "", in folder: StateFolder? = nil,
        _ body: (Assembly, Streams.Stream) async throws -> Void
    ) async throws {
        var configuration = try Configuration(
            yaml:
                "loops: { threads: 2 }\nrtp: { firstUDPPort: 20000, lastUDPPort: 24000 }\npaths: { cam: \(path)\(others) }\n",
            file: "apus.yml")
        configuration.server.port = 0
        configuration.http.port = 0
        configuration.control.socket = ""
        let assembly = try Assembly(
            configuration, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, stateFolder: folder)
        try assembly.start()
        defer { assembly.stop() }
        let stream = try #require(assembly.state.withLock { $0.paths["cam"]?.stream })
        try await body(assembly, stream)
    }

    /// A viewer joins before the source was ever there, and sees the source at its first keyframe, in another size.
    @Test func aViewerSeesTheSlateUntilTheSourceComes() async throws {
        let folder = try TemporaryFolder()
        let film = folder.file("film.mp4")
        try await Self.serving("{ source: \"\(film)\", absent: { show: slate, afterSeconds: 1 } }") {
            assembly, stream in
            #expect(await eventually(within: 10) { stream.announcement != nil })
            let viewer = try TCPViewer(of: "cam", assembly)
            let slate = viewer.watch(frames: 8)
            #expect(slate.frames == 8 && slate.missing == 0)
            #expect(slate.sizes == [TCPViewer.Size(1280, 720)])
            #expect(stream.published.pictureCount == 0)
            try FileManager.default.copyItem(atPath: try await Clip.plain.path(), toPath: film)
            #expect(await eventually(within: 15) { stream.published.pictureCount > 0 })
            let seen = viewer.watch(frames: 120)
            #expect(seen.frames == 120 && seen.missing == 0 && seen.goodbyes == 0)
            #expect(seen.sizes.last == TCPViewer.Size(640, 360))
        }
    }

    /// The encoder of the slate runs only while there is a viewer.
    @Test func nothingIsEncodedWithoutAViewer() async throws {
        try await Self.serving("{ source: /nowhere/film.mp4, absent: { show: frame, afterSeconds: 1 } }") {
            assembly, stream in
            #expect(await eventually(within: 10) { stream.announcement != nil })
            let feed = try #require(stream.feed(UnitCounter.self, options: 0, for: NoWaker()))
            #expect(feed.endIndex == 0)
            #expect(try TCPViewer(of: "cam", assembly).watch(frames: 3).frames == 3)
            #expect(feed.endIndex > 0)
        }
    }

    /// The fallback runs on demand, so it runs only while it is shown.
    @Test func theFallbackIsShownUntilTheSourceComes() async throws {
        let folder = try TemporaryFolder()
        let film = folder.file("film.mp4")
        let other = ", other: { onDemand: true, onDemandCloseSeconds: 0, video: { width: 320, height: 240 } }"
        try await Self.serving(
            "{ source: \"\(film)\", fallback: other, absent: { afterSeconds: 1 } }", others: other
        ) { assembly, stream in
            let fallback = try #require(assembly.state.withLock { $0.paths["other"]?.stream })
            #expect(await eventually(within: 10) { stream.announcement != nil })
            #expect(!fallback.demand.isNeeded)
            let viewer = try TCPViewer(of: "cam", assembly)
            let shown = viewer.watch(frames: 60)
            #expect(shown.frames == 60 && shown.missing == 0 && shown.sizes.last == TCPViewer.Size(320, 240))
            #expect(fallback.demand.isNeeded && stream.published.pictureCount == 0)
            try FileManager.default.copyItem(atPath: try await Clip.plain.path(), toPath: film)
            #expect(await eventually(within: 15) { stream.published.pictureCount > 0 })
            let seen = viewer.watch(frames: 120)
            #expect(seen.frames == 120 && seen.missing == 0 && seen.goodbyes == 0)
            #expect(seen.sizes.last == TCPViewer.Size(640, 360))
            #expect(await eventually(within: 20) { !fallback.demand.isNeeded })
        }
    }

    /// Another codec cannot be switched to: a slate is shown.
    @Test func aFallbackOfOtherTracksIsNotShown() async throws {
        let path =
            "{ source: /nowhere/film.mp4, fallback: other, absent: { show: slate, afterSeconds: 1, tracks: h265 320x180 } }"
        try await Self.serving(path, others: ", other: {}") { assembly, stream in
            #expect(await eventually(within: 10) { stream.announcement != nil })
            let viewer = try TCPViewer(of: "cam", assembly)
            #expect(viewer.watch(frames: 4).frames == 4)
            #expect(stream.announcement?.tracks.map(\.codec) == [.h265])
        }
    }

    @Test func aFileIsShownInTheAnnouncedSize() async throws {
        let file = try await Clip.plain.path()
        let absent = "show: file, file: \"\(file)\", afterSeconds: 1, tracks: [h264 320x180, aac 44100 mono]"
        try await Self.serving("{ source: /nowhere/film.mp4, absent: { \(absent) } }") { assembly, stream in
            #expect(await eventually(within: 10) { stream.announcement != nil })
            let feed = try #require(stream.feed(UnitCounter.self, options: 0, for: NoWaker()))
            let viewer = try TCPViewer(of: "cam", assembly)
            let seen = viewer.watch(frames: 60)
            #expect(seen.frames == 60 && seen.missing == 0 && seen.sizes == [TCPViewer.Size(320, 180)])
            #expect(feed.endIndex > 60)
        }
    }

    /// A server that starts before its source announces what the source had last.
    @Test func theLastTracksAreAnnouncedAfterARestart() async throws {
        let folder = try TemporaryFolder()
        let state = StateFolder(at: folder.path)
        let absent = "absent: { show: slate, afterSeconds: 1 }"
        let clip = try await Clip.plain.path()
        var tracks: [Track]?
        try await Self.serving("{ source: \"\(clip)\", \(absent) }", in: state) { assembly, stream in
            #expect(await eventually(within: 10) { stream.announcement != nil })
            tracks = stream.announcement?.tracks
            #expect(await eventually(within: 20) { FileManager.default.fileExists(atPath: folder.file("tracks.json")) })
        }
        try await Self.serving("{ source: /nowhere/film.mp4, \(absent) }", in: state) { _, stream in
            #expect(await eventually(within: 10) { stream.announcement != nil })
            #expect(stream.announcement?.tracks == tracks)
        }
    }

    @Test func aPathOnDemandShowsNothing() throws {
        let failure = #expect(throws: ConfigurationFailure.self) {
            try Configuration(yaml: "paths: { cam: { onDemand: true, absent: { show: slate } } }", file: "apus.yml")
        }
        #expect(failure?.problems.map(\.option) == ["paths.cam.absent.show"])
    }

    private struct UnitCounter: Packager {
        struct Output: PackagedUnit {
            let track: TrackID
            let presentationTime: MediaTime
            let isKeyframe: Bool
            let part: AccessUnit.Part
            var byteCount: Int { 1 }
        }

        init(tracks: [Track], options: Int) {}

        mutating func package(_ unit: AccessUnit) -> Output? {
            Output(
                track: unit.track, presentationTime: unit.presentationTime, isKeyframe: unit.isKeyframe,
                part: unit.part)
        }
    }

    private final class NoWaker: Waker {
        func wake() {}
    }
}
