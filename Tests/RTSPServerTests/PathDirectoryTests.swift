import Media
import RTSP
import Reactor
import Streams
import Testing

@testable import RTSPServer

/// What somebody finds who may not see all.
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

    @Test func inAnyCaseOnlyWhatIsTheirsIsFound() throws {
        let paths = directory("/CAM", "/Cam", "/cam")
        #expect(paths.entry(atAnyCaseOf: "/cam", for: .everything)?.stream.path == "/cam")
        #expect(paths.entry(atAnyCaseOf: "/cAM", for: .everything)?.stream.path == "/CAM")
        #expect(paths.entry(atAnyCaseOf: "/cam", for: try grant("Cam"))?.stream.path == "/Cam")
        #expect(paths.entry(atAnyCaseOf: "/cam", for: try grant("yard")) == nil)
        #expect(directory("/cam").entry(atAnyCaseOf: "/", for: try grant("c*")) == nil, "it is not told what is there")
        #expect(directory("/cam").entry(atAnyCaseOf: "/", for: try grant("*")) != nil)
    }

    @Test func theNearestPathIsOneOfTheirs() throws {
        let paths = directory("/camera", "/yard/camera")
        func reason(_ path: String, _ pattern: String) throws -> String? {
            Describing.notFound(path, among: paths, for: try grant(pattern)).reason
        }
        #expect(try reason("/camerb", "*") == "Not Found: nearest is /camera")
        #expect(try reason("/yard/camerb", "yard/*") == "Not Found: nearest is /yard/camera")
        #expect(try reason("/camerb", "yard/*")?.contains("is /camera") != true)
        #expect(try reason("/", "yard/*") == "Not Found: there are /yard/camera")
    }
}
