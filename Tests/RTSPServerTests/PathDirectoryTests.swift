import Media
import RTSP
import Reactor
import Streams
import Testing

@testable import RTSPServer

/// Path look-ups by a client that may not read all paths.
struct PathDirectoryTests {
    private func directory(_ paths: String...) -> PathDirectory {
        let directory = PathDirectory()
        for path in paths {
            directory.insert(
                Stream(path: path, clock: StreamClock(ClockReading.now)), options: PathOptions(title: path))
        }
        return directory
    }

    private func grant(_ pattern: String) throws -> Grant {
        Grant(user: "ann", [.read: [try #require(PathPattern(pattern))]])
    }

    @Test func ignoringCaseFindsPermittedPathsOnly() throws {
        let paths = directory("/CAM", "/Cam", "/cam")
        #expect(paths.entry(atAnyCaseOf: "/cam", for: .everything)?.stream.path == "/cam")
        #expect(paths.entry(atAnyCaseOf: "/cAM", for: .everything)?.stream.path == "/CAM")
        #expect(paths.entry(atAnyCaseOf: "/cam", for: try grant("Cam"))?.stream.path == "/Cam")
        #expect(paths.entry(atAnyCaseOf: "/cam", for: try grant("yard")) == nil)
        #expect(directory("/cam").entry(atAnyCaseOf: "/", for: try grant("c*")) == nil, "it must not reveal paths")
        #expect(directory("/cam").entry(atAnyCaseOf: "/", for: try grant("*")) != nil)
    }

    @Test func theSuggestedPathIsAPermittedOne() throws {
        let paths = directory("/camera", "/yard/camera")
        func reason(_ path: String, _ pattern: String) throws -> String? {
            Refusal.unknownPath(path, among: paths, for: try grant(pattern)).reason
        }
        #expect(try reason("/camerb", "*") == "Not Found: did you mean /camera?")
        #expect(try reason("/yard/camerb", "yard/*") == "Not Found: did you mean /yard/camera?")
        #expect(try reason("/camerb", "yard/*")?.contains("mean /camera") != true)
        #expect(try reason("/", "yard/*") == "Not Found: available are /yard/camera")
    }
}
