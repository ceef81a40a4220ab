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
    }

    /// The requests of go2rtc-client 0.4.0, and the fields that its models require.
    @Test func theRequestsOfGo2rtcClientAreAnswered() throws {
        let server = try APIServer()
        let client = ["Accept: */*", "Accept-Encoding: gzip, deflate", "User-Agent: Python/3.12 aiohttp/3.13.2"]
        func ask(_ request: String) throws -> HTTPSocket.Response { try server.ask(request, client) }
        // validate_server_version() wants 1.9.13 or later, and less than 2.
        let info = try ask("GET /api")
        #expect(info.status == 200 && info.header("Content-Type") == "application/json")
        let object = try APIServer.object(info)
        let version = try #require(object["version"] as? String).split(separator: ".").compactMap { Int($0) }
        #expect(version.count == 3 && version[0] == 1 && (version[1], version[2]) >= (9, 13))
        #expect(((object["rtsp"] as? [String: Any])?["listen"] as? String)?.hasPrefix(":") == true)
        // streams.list(): dict[str, Stream], of which each has a list of producers with a url.
        let streams = try APIServer.object(ask("GET /api/streams"))
        #expect(Set(streams.keys) == ["cam", "yard"])
        for (name, stream) in streams {
            let producers = (stream as? [String: Any])?["producers"] as? [[String: Any]]
            #expect(producers?.isEmpty == false && producers?.allSatisfy { $0["url"] is String } == true, "\(name)")
        }
        // get_jpeg_snapshot(name, width, height)
        let frame = try ask("GET /api/frame.jpeg?src=cam&width=320&height=240")
        #expect(frame.header("Content-Type") == "image/jpeg" && frame.body.starts(with: [0xFF, 0xD8]))
        // schemes.list() and preload.list(): none.
        #expect(try ask("GET /api/schemes").body == Array("[]\n".utf8))
        #expect(try ask("GET /api/preload").body == Array("{}\n".utf8))
        // streams.add(), preload.enable() and disable().
        for request in [
            "PUT /api/streams?name=a&src=rtsp://b/c", "PUT /api/preload?src=cam", "DELETE /api/preload?src=cam",
        ] {
            let refusal = try ask(request)
            #expect(refusal.status == 403, "\(request)")
            #expect((try APIServer.object(refusal)["detail"] as? String)?.contains("configuration file") == true)
        }
    }

    @Test func aViewerLearnsNeitherSourcesNorOtherViewers() throws {
        let server = try APIServer()
        let streams = try APIServer.object(server.ask("GET /api/streams", as: "bob:garden garden"))
        #expect(Array(streams.keys) == ["cam"])
        let cam = try #require(streams["cam"] as? [String: Any])
        #expect((cam["producers"] as? [[String: Any]])?.first?["url"] as? String == "")
        #expect((cam["consumers"] as? [Any])?.isEmpty == true)
        for target in [
            "/api", "/api/schemes", "/api/streams", "/api/frame.jpeg?src=cam", "/api/stream.mp4?src=cam",
            "/api/ws?src=cam",
        ] {
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
