import Dispatch
import Foundation
import Logging
import Media
import RTSPServer
import Streams
import Synchronization
import TestSupport
import Testing

@testable import Server

/// A running server goes on with another configuration, seen by viewers over TCP.
@Suite(.serialized)
struct ChangingTests {
    /// Small enough to encode several at the same time.
    private static let small =
        "video: { width: 160, height: 96, bitrate: 300000, gopMilliseconds: 10000, threads: 1 }"

    private static func configuration(_ paths: String) throws -> Configuration {
        var configuration = try Configuration(
            yaml: "loops: { threads: 2 }\nrtp: { firstUDPPort: 20000, lastUDPPort: 24000 }\npaths:\n\(paths)",
            file: "apus.yml")
        // The kernel chooses the port.
        configuration.server.port = 0
        configuration.http.port = 0
        configuration.control.socket = ""
        return configuration
    }

    /// Serves `paths` while `body` runs. All paths have media when it begins.
    private static func serving(
        _ paths: String, threshold: LogThreshold = LogThreshold(), _ body: (Assembly) async throws -> Void
    ) async throws {
        try await running(paths, threshold: threshold) { assembly in
            for path in assembly.paths.values { #expect(await isServing(path.stream)) }
            try await body(assembly)
        }
    }

    /// Runs a server with `paths` while `body` runs.
    private static func running(
        _ paths: String, log: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        threshold: LogThreshold = LogThreshold(), _ body: (Assembly) async throws -> Void
    ) async throws {
        let assembly = try Assembly(configuration(paths), log: log, threshold: threshold)
        try assembly.start()
        defer { assembly.stop() }
        try await body(assembly)
    }

    private static func isServing(_ stream: Streams.Stream) async -> Bool {
        await eventually(within: 10) { stream.published.pictureCount > 0 }
    }

    @Test func viewersAreNotDisturbedWhenOtherPathsAreAddedAndRemoved() async throws {
        try await Self.serving("  a: { \(Self.small) }\n  b: { \(Self.small) }\n") { assembly in
            let viewer = try TCPViewer(of: "a", assembly)
            let gone = try TCPViewer(of: "b", assembly)
            let source = try #require(assembly.paths["a"]).source
            #expect(viewer.watch(frames: 10).missing == 0)
            #expect(gone.watch(frames: 2).missing == 0)
            let new = try Self.configuration("  a: { \(Self.small) }\n  c: { \(Self.small), title: New }\n")
            #expect(assembly.apply(new) == [.removed(path: "b"), .added(path: "c")])
            let seen = viewer.watch(frames: 30)
            #expect(seen.frames == 30 && seen.missing == 0)
            #expect(assembly.paths["a"]?.source === source)
            // The other viewer gets a BYE and is disconnected.
            #expect(gone.watch(frames: 1_000).goodbyes == 1)
            #expect(gone.socket.isClosed)
            #expect(await Self.isServing(try #require(assembly.paths["c"]).stream))
            #expect(try TCPViewer(of: "c", assembly).watch(frames: 2).frames == 2)
            #expect(try assembly.request("DESCRIBE", "b").status == 404)
            #expect(viewer.watch(frames: 10).missing == 0)
            #expect(assembly.apply(new) == [])
        }
    }

    @Test func theBitrateChangesWhileAViewerStaysConnected() async throws {
        let large = Self.small.replacing("width: 160, height: 96", with: "width: 480, height: 272")
        try await Self.serving("  cam: { \(large) }\n") { assembly in
            let viewer = try TCPViewer(of: "cam", assembly)
            _ = viewer.watch(frames: 30)
            let before = viewer.watch(frames: 30)
            let changes = try assembly.set(["video.bitrate=75000"], of: "cam")
            #expect(changes == [.reconfigured(path: "cam", options: ["video.bitrate"])])
            let settling = viewer.watch(frames: 30)
            let after = viewer.watch(frames: 30)
            #expect(before.missing + settling.missing + after.missing == 0)
            #expect(after.byteCount * 2 < before.byteCount, "\(before.byteCount) → \(after.byteCount) bytes a second")
        }
    }

    @Test func timestampsAreSwitchedWhileAViewerStaysConnected() async throws {
        try await Self.serving("  a: { timestamps: all, \(Self.small) }\n") { assembly in
            let stream = try #require(assembly.paths["a"]).stream
            #expect(stream.captureTimeSEI == .all)
            let viewer = try TCPViewer(of: "a", assembly)
            #expect(viewer.watch(frames: 5).missing == 0)
            let announcements = stream.announcementCount
            #expect(
                try assembly.set(["timestamps=off"], of: "a") == [.reconfigured(path: "a", options: ["timestamps"])])
            #expect(stream.captureTimeSEI == .off)
            #expect(viewer.watch(frames: 5).missing == 0)
            #expect(stream.announcementCount == announcements)
        }
    }

    @Test func aNewSizeIsSentInBandWhileAViewerStaysConnected() async throws {
        try await Self.serving("  cam: { \(Self.small) }\n") { assembly in
            let viewer = try TCPViewer(of: "cam", assembly)
            #expect(viewer.watch(frames: 5).sizes == [TCPViewer.Size(160, 96)])
            _ = try assembly.set(["video={ width: 240, height: 176 }", "title=Large"], of: "cam")
            let seen = viewer.watch(frames: 30, untilSize: true)
            #expect(seen.sizes == [TCPViewer.Size(240, 176)])
            #expect(seen.missing == 0)
            #expect(try assembly.request("DESCRIBE", "cam").body.contains("s=Large\r\n"))
        }
    }

    @Test func aNewSourceTakesOverTheStreamAndItsViewers() async throws {
        let film = try await Clip.plain.path()
        try await Self.serving("  cam: { \(Self.small) }\n") { assembly in
            let stream = try #require(assembly.paths["cam"]).stream
            let viewer = try TCPViewer(of: "cam", assembly)
            let before = viewer.watch(frames: 10)
            let changes = try assembly.set(["source=\(film)"], of: "cam")
            #expect(changes == [.sourceReplaced(path: "cam", options: ["source"])])
            let after = viewer.watch(frames: 40)
            #expect(after.sizes == [TCPViewer.Size(640, 360)])
            #expect(before.missing + after.missing == 0)
            // Timestamps continue, because the epoch of the stream is the same.
            let step = Int32(bitPattern: try #require(after.lastTimestamp) &- (try #require(before.lastTimestamp)))
            #expect((30_000..<900_000).contains(step), "\(step) ticks of 90 kHz")
            #expect(assembly.paths["cam"]?.stream === stream)
        }
    }

    @Test func aSourceThatDoesNotWorkIsRefusedAndTheOldOneContinues() async throws {
        let folder = try TemporaryFolder()
        #expect(mkfifo(folder.file("fifo"), 0o600) == 0)
        try folder.write("no film", to: "film.mp4")
        try await Self.serving("  cam: { \(Self.small) }\n") { assembly in
            let source = try #require(assembly.paths["cam"]).source
            for (assignments, reason) in [
                (["source=/nowhere/film.mp4"], "source: no file at /nowhere/film.mp4; check the path"),
                (["source=/dev/video77"], "source: no file at /dev/video77; check the path"),
                (["source=\(folder.file("fifo"))", "effects.mirror=true"], "so it cannot have effects"),
                (["source=\(folder.file("film.mp4"))"], "source: \(folder.file("film.mp4")) cannot be read"),
                (["source=http://127.0.0.1:1/cam?pwd=secret"], "http://127.0.0.1:1/cam?… cannot be read"),
                (["source=file:///srv/film.mp4"], "write the path of the file without file://"),
                (["source=rtsp://127.0.0.1:1/cam"], "source: rtsp://127.0.0.1:1/cam: connect: Connection refused"),
                (["source=stream:cam"], "a path cannot be its own source: `cam` of `cam`"),
            ] {
                let failure = #expect(throws: SettingFailure.self) { try assembly.set(assignments, of: "cam") }
                #expect(failure?.description.contains(reason) == true, "\(failure.debugDescription)")
            }
            #expect(assembly.paths["cam"]?.source === source)
        }
    }

    @Test func aSubstreamContinuesWithTheNewSourceOfItsParent() async throws {
        let film = try await Clip.plain.path()
        let tiny = Self.small.replacing("width: 160, height: 96", with: "width: 80, height: 48")
        try await Self.serving("  cam: { \(Self.small) }\n  sub: { source: 'stream:cam', \(tiny) }\n") { assembly in
            let viewer = try TCPViewer(of: "sub", assembly)
            let before = viewer.watch(frames: 10)
            _ = try assembly.set(["source=\(film)"], of: "cam")
            // The file is decoded for the substream.
            let film = viewer.watch(frames: 60)
            _ = try assembly.set(["source=testcard"], of: "cam")
            let card = viewer.watch(frames: 60)
            #expect([before, film, card].map(\.frames) == [10, 60, 60])
            #expect([before, film, card].allSatisfy { $0.missing == 0 })
        }
    }

    @Test func aRefusedCommandChangesNothing() async throws {
        try await Self.serving("  cam: { \(Self.small) }\n") { assembly in
            let viewer = try TCPViewer(of: "cam", assembly)
            let (before, source) = (assembly.state.withLock { $0.configuration }, assembly.paths["cam"]?.source)
            #expect(throws: SettingFailure.self) { try assembly.set(["title=x", "video.width=7"], of: "cam") }
            #expect(throws: SettingFailure.self) { try assembly.set(["title=x"], of: "door") }
            #expect(assembly.state.withLock { $0.configuration } == before)
            #expect(assembly.paths["cam"]?.source === source)
            #expect(viewer.watch(frames: 10).missing == 0)
        }
    }

    @Test func serverOptionsApplyAtTheNextStartButTheLogLevelAtOnce() async throws {
        let threshold = LogThreshold(.info)
        try await Self.serving("  cam: { \(Self.small) }\n", threshold: threshold) { assembly in
            var new = try Self.configuration("  cam: { \(Self.small), title: Yard }\n")
            new.log.level = .debug
            new.server.port = 4711
            #expect(
                assembly.apply(new) == [
                    .changedForNewViewers(path: "cam", options: ["title"]), .live(options: ["log.level"]),
                    .atNextStart(options: ["server.port"]),
                ])
            #expect(threshold.level == .debug)
            #expect(try assembly.request("DESCRIBE", "cam").status == 200)
        }
    }

    @Test func aSessionOnAnotherPathOfTheSameConnectionContinues() async throws {
        try await Self.serving("  a: { \(Self.small) }\n  b: { \(Self.small) }\n") { assembly in
            let viewer = try TCPViewer(of: "a", assembly)
            let transport = ["Transport": "RTP/AVP/TCP;unicast;interleaved=8-9"]
            let other = try viewer.socket.request("SETUP", "rtsp://127.0.0.1/b/track1", transport)
            let session = ["Session": other.header("Session")?.split(separator: ";").first.map(String.init) ?? ""]
            #expect(try viewer.socket.request("PLAY", "rtsp://127.0.0.1/b", session).status == 200)
            _ = assembly.apply(try Self.configuration("  a: { \(Self.small) }\n"))
            #expect(
                try await eventually(within: 20) {
                    try viewer.socket.request("GET_PARAMETER", "rtsp://127.0.0.1/b", session).status == 454
                })
            #expect(viewer.watch(frames: 20).missing == 0)
        }
    }

    @Test func aStoppingServerIgnoresChanges() async throws {
        try await Self.serving("  cam: { \(Self.small) }\n") { assembly in
            let new = try Self.configuration("  door: {}\n")
            assembly.stop()
            #expect(assembly.apply(new) == [])
            #expect(throws: SettingFailure.isEnding) { try assembly.set(["title=x"], of: "cam") }
            #expect(assembly.paths.keys.sorted() == ["cam"])
        }
    }

    @Test func sourcesThatDoNotEncodeOrDoNotRunReportHowTheyUseASetting() async throws {
        let film = try await Clip.plain.path()
        try await Self.serving("  film: { source: \(film) }\n") { assembly in
            let changes = try assembly.set(["video.bitrate=75000"], of: "film")
            #expect(changes == [.notEncodedHere(path: "film", options: ["video.bitrate"])])
        }
        try await Self.running("  cam: { source: /dev/nowhere }\n") { assembly in
            let changes = try assembly.set(["video.bitrate=75000"], of: "cam")
            #expect(changes == [.awaitingSource(path: "cam", options: ["video.bitrate"])])
            #expect(
                changes.map(\.description) == [
                    "/cam: video.bitrate: stored, and applied when the source starts again"
                ])
        }
    }

    /// Filters are tested before they are used, and their input may be slow, or never arrive.
    @Test func aCommandThatWaitsForItsFiltersDoesNotBlockOthersOrUndoThem() async throws {
        let picture = try SlowImage()
        try await Self.running("  cam: { source: /dev/nowhere }\n") { assembly in
            let filters = "movie=\(picture.path):f=ppm_pipe[p];[in][p]overlay"
            let set = Background { try assembly.set(["effects.filters=\(filters)"], of: "cam") }
            let writer = try await picture.awaitReader()
            let other = Background { try assembly.set(["title=Yard"], of: "cam") }
            let status = Background { assembly.logStatus() }
            #expect(await eventually(within: 20) { other.isDone && status.isDone })
            #expect(!set.isDone)
            writer.write()
            // The filters are tested again, because the configuration has changed meanwhile.
            #expect(
                await eventually(within: 20) {
                    if !set.isDone { picture.writer()?.write() }
                    return set.isDone
                })
            _ = try set.value
            let path = assembly.state.withLock { $0.configuration.paths["cam"] }
            #expect(path?.title == "Yard")
            #expect(path?.effects.filters == filters)
        }
    }

    @Test func aFileThatMovesPrivacyMasksIsAppliedWithAWarning() async throws {
        let lines = Lines()
        let effects = "effects: { privacyMasks: [[0, 0, 32, 96]] }"
        try await Self.running("  cam: { \(Self.small), \(effects) }\n", log: lines.logger) { assembly in
            let wide = Self.small.replacing("width: 160", with: "width: 320")
            _ = assembly.apply(try Self.configuration("  cam: { \(wide), \(effects) }\n"))
            #expect(lines.all.count { $0.contains("warning") && $0.contains("paths.cam.effects.privacyMasks") } == 1)
        }
    }
}

extension Assembly {
    fileprivate var paths: [String: ServedPath] { state.withLock { $0.paths } }

    fileprivate func request(_ method: String, _ path: String) throws -> RTSPSocket.Response {
        try RTSPSocket(port: Int(server.port)).request(method, "rtsp://127.0.0.1/\(path)")
    }
}

/// Work on a thread of its own, which may block.
private final class Background<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)

    init(_ work: @escaping @Sendable () throws -> Value) {
        DispatchQueue(label: "test.background").async {
            let result = Result { try work() }
            self.result.withLock { $0 = result }
        }
    }

    var isDone: Bool { result.withLock { $0 != nil } }

    var value: Value {
        get throws { try #require(result.withLock { $0 }).get() }
    }
}
