import Codecs
import Foundation
import TestSupport
import Testing

@testable import Server

/// The addresses of go2rtc, with the access rules of this server.
struct Go2rtcTests {
    @Test func theStreamsAreListedByName() async throws {
        let server = try APIServer()
        let client = try server.connect()
        client.send(APIServer.text(of: "GET /api/stream.mp4?src=cam", ["User-Agent: recorder/1"]))
        #expect(client.response(hasBody: false)?.status == 200)
        var consumers: [[String: Any]] = []
        _ = try await eventually(within: 10) {
            let streams = try APIServer.object(server.ask("GET /api/streams"))
            #expect(Set(streams.keys) == ["cam", "yard"])
            let cam = try #require(streams["cam"] as? [String: Any])
            let url = (cam["producers"] as? [[String: Any]])?.first?["url"] as? String
            #expect(url?.hasPrefix("test card") == true)
            consumers = cam["consumers"] as? [[String: Any]] ?? []
            return !consumers.isEmpty
        }
        #expect(consumers.count == 1 && consumers[0]["protocol"] as? String == "MP4")
        #expect(consumers[0]["user_agent"] as? String == "recorder/1")
        let one = try APIServer.object(server.ask("GET /api/streams?src=yard"))
        #expect((one["consumers"] as? [Any])?.isEmpty == true)
        #expect(try server.ask("GET /api/streams?src=none").status == 404)
        #expect(try server.ask("PUT /api/streams?name=a&src=b").status == 405)
    }

    @Test func aViewerLearnsNeitherSourcesNorOtherViewers() throws {
        let server = try APIServer()
        let streams = try APIServer.object(server.ask("GET /api/streams", as: "bob:garden garden"))
        #expect(Array(streams.keys) == ["cam"])
        let cam = try #require(streams["cam"] as? [String: Any])
        #expect((cam["producers"] as? [[String: Any]])?.first?["url"] as? String == "")
        #expect((cam["consumers"] as? [Any])?.isEmpty == true)
        for target in ["/api/streams", "/api/frame.jpeg?src=cam", "/api/stream.mp4?src=cam", "/api/ws?src=cam"] {
            #expect(try server.ask("GET \(target)", as: nil).status == 401, "\(target)")
        }
        for target in ["/api/frame.jpeg?src=yard", "/api/stream.mp4?src=yard"] {
            #expect(try server.ask("GET \(target)", as: "bob:garden garden").status == 401, "\(target)")
        }
    }

    @Test func aFrameIsASnapshot() throws {
        let server = try APIServer("")
        let client = try server.connect()
        let response = try #require(client.ask("GET /api/frame.jpeg?src=cam&width=640"))
        #expect(response.header("Content-Type") == "image/jpeg" && response.header("Capture-Time") != nil)
        #expect(try StillImage.decode(response.body).width == 160)
        #expect(client.ask("GET /api/frame.jpeg")?.status == 400)
        #expect(client.ask("GET /api/frame.jpeg?src=none")?.status == 404)
    }
}
