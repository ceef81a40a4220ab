import Foundation
import Media
import Streams
import TestSupport
import Testing

@testable import HTTPServer
@testable import Server

/// The HTTP API, with requests of real clients.
@Suite(.serialized)
struct APITests {
    private static func setting(_ key: String, of response: HTTPSocket.Response) throws -> [String: Any] {
        let settings = try #require(try APIServer.object(response)["settings"] as? [[String: Any]])
        return try #require(settings.first { $0["key"] as? String == key })
    }

    // MARK: Settings

    @Test func aSettingIsReadAndChanged() throws {
        let server = try APIServer()
        let target = "/api/v1/settings?path=/cam"
        let before = try server.ask("GET \(target)")
        #expect(try Self.setting("video.bitrate", of: before)["origin"] as? String == "default")
        let changed = try server.ask("PATCH \(target)", body: #"{"video.bitrate":400000,"title":"Yard"}"#)
        #expect(changed.status == 200)
        let bitrate = try Self.setting("video.bitrate", of: changed)
        #expect(bitrate["value"] as? Int == 400_000 && bitrate["origin"] as? String == "settings")
        let lines = try #require(try APIServer.object(changed)["lines"] as? [String])
        #expect(lines.contains("/cam: video.bitrate: changed; viewers stay connected"), "\(lines)")
        #expect(lines.last?.hasPrefix("the change is lost at the next start: ") == true, "no state folder")
        let back = try server.ask("PATCH \(target)", body: #"{"video.bitrate":null}"#)
        #expect(try Self.setting("video.bitrate", of: back)["origin"] as? String == "default")
        #expect(try Self.setting("title", of: back)["value"] as? String == "Yard")
    }

    @Test(arguments: [
        (
            #"{"source":"exec:rm"}"#, 403,
            "cannot be changed over HTTP; change it in the configuration file, or with apus set"
        ),
        (#"{"video.bitrate":"much"}"#, 422, "video.bitrate: expects a whole number"),
        (#"{"video.bitrat":1}"#, 422, "video.bitrate"),
        (#"{"video.bitrate":400000,"video.width":1}"#, 422, "video.width"),
        ("[]", 400, "JSON"), (#"{"video.bitrate":"#, 400, "JSON"),
    ])
    func aRefusedChangeSaysWhyAndChangesNothing(_ body: String, _ status: Int, _ detail: String) throws {
        let server = try APIServer()
        let before = try server.ask("GET /api/v1/settings?path=/cam")
        let response = try server.ask("PATCH /api/v1/settings?path=/cam", body: body)
        #expect(response.status == status && response.header("Content-Type") == "application/problem+json")
        let text = try #require(try APIServer.object(response)["detail"] as? String)
        #expect(text.contains(detail), "\(text)")
        #expect(try server.ask("GET /api/v1/settings?path=/cam").text == before.text)
    }

    @Test func anEntityTagSavesAnAnswerAndPreventsLostUpdates() throws {
        let server = try APIServer()
        let target = "/api/v1/settings?path=/cam"
        let tag = try #require(try server.ask("GET \(target)").header("ETag"))
        let same = try server.ask("GET \(target)", ["If-None-Match: \"x\", W/\(tag)"])
        #expect(same.status == 304 && same.body.isEmpty && same.header("ETag") == tag)
        #expect(try server.ask("PATCH \(target)", ["If-Match: \(tag)"], body: #"{"title":"A"}"#).status == 200)
        let late = try server.ask("PATCH \(target)", ["If-Match: \(tag)"], body: #"{"title":"B"}"#)
        #expect(late.status == 412)
        #expect(try Self.setting("title", of: server.ask("GET \(target)"))["value"] as? String == "A")
    }

    @Test func rightsAreThoseForTheNamedPath() throws {
        let server = try APIServer()
        let bob = "bob:garden garden"
        #expect(try server.ask("GET /api/v1/settings?path=/yard", as: bob).status == 200)
        #expect(try server.ask("GET /api/v1/settings?path=/cam", as: bob).status == 401)
        #expect(try server.ask("PATCH /api/v1/settings?path=/cam", as: bob, body: #"{"title":"x"}"#).status == 401)
        #expect(try server.ask("PATCH /api/v1/settings?path=/cam", as: nil, body: #"{"title":"x"}"#).status == 401)
        #expect(try server.ask("GET /api/v1/settings", as: bob).status == 401, "the server as a whole")
        #expect(try server.ask("GET /api/v1/settings").status == 400)
        #expect(try server.ask("GET /api/v1/settings?path=cam").status == 400)
        #expect(try server.ask("GET /api/v1/settings?path=/none").status == 404)
        #expect(try server.ask("GET /api/v1/settings?path=/cam&pat=1").status == 400)
        for target in ["log", "users", "devices", "viewers", "events"] {
            #expect(try server.ask("GET /api/v1/\(target)", as: bob).status == 401, "\(target)")
        }
        // A client on this host needs no password to watch, but to change something.
        let own = try APIServer("")
        #expect(try own.connect().ask("PATCH /api/v1/settings?path=/cam", body: "{}")?.status == 401)
        #expect(try own.connect().ask("GET /api/v1/viewers")?.status == 200)
    }

    // MARK: Sources

    @Test func aSourceIsAskedForAKeyframeAndRestarted() async throws {
        let server = try APIServer()
        let events = try #require(server.assembly.events.subscribe { $0.path == "/cam" })
        let stream = try #require(server.assembly.state.withLock { $0.paths["cam"]?.stream })
        #expect(await eventually(within: 20) { stream.published.pictureCount > 0 })
        #expect(try server.ask("POST /api/v1/sources/keyframe?path=/cam").status == 202)
        #expect(try server.ask("POST /api/v1/sources/restart?path=/cam").status == 202)
        var kinds: [StreamEvent.Kind] = []
        #expect(
            await eventually(within: 20) {
                kinds += events.take().events.map(\.kind)
                return kinds.suffix(2) == [.sourceDown, .sourceUp]
            }, "\(kinds)")
        #expect(try server.ask("POST /api/v1/sources/restart?path=/none").status == 404)
        #expect(try server.ask("POST /api/v1/sources/restart").status == 400)
        #expect(try server.ask("GET /api/v1/sources/restart?path=/cam").status == 405)
        let latency = try APIServer.object(server.ask("GET /api/v1/latency?path=/cam"))
        let encoding = try #require((latency["stages"] as? [String: [String: Any]])?["encoding"])
        let (bounds, counts) = (encoding["bounds"] as? [Double], encoding["counts"] as? [Int])
        #expect(bounds == DurationCounts.bounds && counts?.count == DurationCounts.bounds.count + 1)
        #expect(encoding["count"] as? Int == counts?.reduce(0, +))
    }

    // MARK: Viewers

    @Test func viewersAreListedAndDisconnected() async throws {
        let server = try APIServer("")
        let events = try #require(server.assembly.events.subscribe { $0.kind == .viewerLeft })
        let viewers = try (0..<3).map { _ in try TCPViewer(of: "cam", server.assembly) }
        func listed(_ query: String) throws -> [[String: Any]] {
            let response = try #require(try server.connect().ask("GET /api/v1/viewers\(query)"))
            return try #require(try APIServer.object(response)["viewers"] as? [[String: Any]])
        }
        let all = try listed("?path=/cam")
        let ids = all.compactMap { $0["id"] as? String }
        #expect(ids.count == 3 && Set(ids).count == 3)
        #expect(all.allSatisfy { $0["transport"] as? String == "TCP" && $0["path"] as? String == "/cam" })
        #expect(try listed("?limit=2").compactMap { $0["id"] as? String } == Array(ids[..<2]))
        #expect(try listed("?limit=2&after=\(ids[1])").compactMap { $0["id"] as? String } == [ids[2]])
        #expect(try listed("?path=/yard").isEmpty)
        #expect(try server.connect().ask("GET /api/v1/viewers?limit=0")?.status == 400)
        #expect(try server.connect().ask("DELETE /api/v1/viewers/\(ids[0])")?.status == 401)
        #expect(await server.assembly.servers.disconnect(ids[0]))
        #expect(try listed("").compactMap { $0["id"] as? String } == Array(ids[1...]))
        let left = events.take().events
        #expect(left.map(\.occurrence).count == 1)
        if case .viewerLeft(_, let reason)? = left.first?.occurrence {
            #expect(reason == "an operator disconnected the viewer")
        }
        withExtendedLifetime(viewers) {}
    }

    @Test func anUnknownViewerIsNotFound() throws {
        let server = try APIServer()
        for id in ["v1", "1", "", "v01", "../status", "v-1"] {
            let expected = id == "../status" ? 400 : 404
            #expect(try server.ask("DELETE /api/v1/viewers/\(id)").status == expected, "\(id)")
            let patch = try server.ask("PATCH /api/v1/viewers/\(id)", body: #"{"rendition":null}"#)
            #expect(patch.status == expected, "\(id)")
        }
    }

    @Test func aRenditionIsChosenForAViewerThatMoves() async throws {
        let server = try APIServer(
            "network: { moveAllClients: true }",
            paths: """
                street: { source: testcard, video: { width: 320, height: 240, bitrate: 500000 }, rate: renditions }
                  street/small: { source: 'stream:street', video: { width: 160, height: 120, bitrate: 100000 } }
                """)
        let viewers = try ["street", "cam"].map { try TCPViewer(of: $0, server.assembly) }
        let ids = await server.assembly.status().viewers.reduce(into: [:]) { $0[$1.path] = $1.id }
        let (moving, staying) = (try #require(ids["/street"]), try #require(ids["/cam"]))
        let servers = server.assembly.servers
        #expect(await servers.fixRendition(of: staying, to: "/street/small") == .stays)
        #expect(await servers.fixRendition(of: moving, to: "/yard") == .noSuchRendition)
        #expect(await servers.fixRendition(of: moving, to: "/street/small") == .chosen)
        let moves = try await eventually(within: 20) {
            let listed = try APIServer.object(
                try #require(try server.connect().ask("GET /api/v1/viewers?path=/street")))
            let viewer = (listed["viewers"] as? [[String: Any]])?.first
            return (viewer?["network"] as? [String: Any])?["rendition"] as? String == "/street/small"
        }
        #expect(moves)
        withExtendedLifetime(viewers) {}
    }

    @Test func aChoiceOfARenditionNamesExactlyOne() throws {
        let server = try APIServer()
        for body in ["{}", "[]", #"{"rendition":1}"#, #"{"rendition":null,"other":null}"#, #"{"rendition":"#] {
            #expect(try server.ask("PATCH /api/v1/viewers/v1", body: body).status == 400, "\(body)")
        }
        let login = "bob:garden garden"
        #expect(try server.ask("PATCH /api/v1/viewers/v1", as: login, body: #"{"rendition":null}"#).status == 401)
        let asked = try server.ask("PATCH /api/v1/viewers/v1?path=/yard", as: login, body: #"{"rendition":null}"#)
        #expect(asked.status == 404)
    }

    @Test func namesOfViewersAreNotUsedTwice() {
        var (first, second) = (ViewerIDs(after: 5_000_000_000), ViewerIDs(after: 7_000_000_000))
        #expect([first.next(), first.next()].map(\.description) == ["v6", "v7"])
        #expect(second.next().description == "v8")
        #expect(ViewerID("v8")?.description == "v8")
        for text in ["", "v", "8", "v08", "v+8", "v8 ", "v99999999999999999999"] { #expect(ViewerID(text) == nil) }
    }

    // MARK: Administration

    @Test func usersAreListedWithoutPasswords() throws {
        let response = try APIServer().ask("GET /api/v1/users")
        let users = try #require(try APIServer.object(response)["users"] as? [[String: Any]])
        #expect(users.map { $0["name"] as? String } == ["ann", "bob"])
        #expect(users[1]["control"] as? [String] == ["yard"] && users[0]["status"] as? Bool == true)
        #expect(!response.text.contains("sesame") && !response.text.contains("assword"))
    }

    @Test func theLogIsReadFromALineOn() throws {
        let server = try APIServer()
        for number in 1...5 { server.tail.append("line \(number)", number == 3 ? .error : .info) }
        let all = try #require(
            try APIServer.object(server.ask("GET /api/v1/log?lines=1000"))["lines"] as? [[String: Any]])
        let first = try #require(all.first { $0["text"] as? String == "line 2" }?["number"] as? Int)
        let rest = try #require(
            try APIServer.object(server.ask("GET /api/v1/log?after=\(first)&level=error"))["lines"] as? [[String: Any]])
        #expect(rest.first?["text"] as? String == "line 3" && rest.first?["level"] as? String == "error")
        #expect(try server.ask("GET /api/v1/log?level=loud").status == 400)
        for _ in 0..<2_000 { server.tail.append(String(repeating: "x", count: 5_000), .info) }
        #expect(server.tail.lines().count == LogTail.capacity)
        #expect(server.tail.lines().allSatisfy { $0.text.utf8.count <= LogTail.maximumLineByteCount + 3 })
    }

    @Test func devicesAreListed() throws {
        let response = try APIServer().ask("GET /api/v1/devices")
        let encoders = try APIServer.object(response)["encoders"] as? [Any]
        #expect(response.status == 200 && encoders?.isEmpty == false)
    }

    @Test func theDescriptionNamesEveryRequest() throws {
        let server = try APIServer()
        let document = try APIServer.object(server.ask("GET /api/v1/openapi.json", as: nil))
        #expect(document["openapi"] as? String == "3.1.0")
        let paths = try #require(document["paths"] as? [String: [String: Any]])
        var described = Set<String>()
        for (path, operations) in paths {
            let methods = operations.keys.filter { $0 != "parameters" }.map { $0.uppercased() }
            let answer = try server.ask("OPTIONS \(path.replacing("{id}", with: "v1"))", as: nil)
            let allowed = Set((answer.header("Allow") ?? "").split(separator: ", ").map(String.init)).subtracting([
                "HEAD"
            ])
            #expect(allowed == Set(methods), "\(path)")
            described.insert(path)
        }
        let folders = [
            "/api/v1/viewers/": "/api/v1/viewers/{id}", "/api/v1/webrtc/": "/api/v1/webrtc/{id}",
        ]
        // The page, media and WebSockets are not described.
        let isDescribed = { (path: String) in !["/", "/page/"].contains(path) }
        for route in server.assembly.routes() where !route.isWebSocket {
            switch route.place {
            case .path(let path): #expect(!isDescribed(path) || described.contains(path), "\(path)")
            case .folder(let folder):
                #expect(!isDescribed(folder) || folders[folder].map(described.contains) == true, "\(folder)")
            case .stream, .streamEnding, .playback: break
            }
        }
    }

    // MARK: Sessions

    @Test func aFormLogsInAndTheCookieAuthenticates() throws {
        let server = try APIServer()
        let login = #"{"user":"ann","password":"sesame sesame"}"#
        let response = try server.ask("POST /api/v1/session", as: nil, body: login)
        let cookie = try #require(response.header("Set-Cookie"))
        #expect(response.status == 204)
        #expect(
            cookie.hasPrefix("__Host-apus=")
                && cookie.hasSuffix("; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure"))
        let pair = "Cookie: \(cookie.prefix { $0 != ";" })"
        #expect(try server.ask("GET /api/v1/users", as: nil, [pair]).status == 200)
        #expect(
            try server.ask("PATCH /api/v1/settings?path=/cam", as: nil, [pair], body: #"{"title":"x"}"#).status == 200)
        // The page of another server cannot use it.
        let foreign = [pair, "Origin: https://evil.example"]
        #expect(
            try server.ask("PATCH /api/v1/settings?path=/cam", as: nil, foreign, body: #"{"title":"y"}"#).status == 403)
        for forged in [
            pair + "0", pair.replacing("ann", with: "bob"), "Cookie: __Host-apus=ann", "Cookie: apus=\(cookie)",
        ] {
            #expect(try server.ask("GET /api/v1/users", as: nil, [forged]).status == 401, "\(forged)")
        }
        let end = try server.ask("DELETE /api/v1/session", as: nil, [pair])
        #expect(end.status == 204 && end.header("Set-Cookie")?.hasPrefix("__Host-apus=; Path=/; Max-Age=0;") == true)
    }

    @Test func theSessionRequiresTheRightThatTheQueryNames() throws {
        let server = try APIServer()
        for (query, anyone, user) in [
            ("", 200, 200), ("?right=control", 401, 200), ("?right=all", 400, 400), ("?right=", 400, 400),
        ] {
            #expect(try server.ask("GET /api/v1/session\(query)", as: nil).status == anyone, "\(query)")
            #expect(try server.ask("GET /api/v1/session\(query)").status == user, "\(query)")
        }
    }

    @Test func aWrongFormIsRefusedWithoutADialogAndLocksOut() throws {
        let server = try APIServer(APIServer.users + "\naccess: { wrongPasswordMilliseconds: 0, wrongPasswords: 3 }")
        for _ in 0..<3 {
            let wrong = try server.ask("POST /api/v1/session", as: nil, body: #"{"user":"ann","password":"x"}"#)
            #expect(wrong.status == 401 && wrong.header("WWW-Authenticate") == "Form")
        }
        let right = #"{"user":"ann","password":"sesame sesame"}"#
        #expect(try server.ask("POST /api/v1/session", as: nil, body: right).status == 403)
        let text = "POST /api/v1/session"
        #expect(try server.ask(text, as: nil, body: #"{"user":"ann"}"#).status == 400)
        let plain = try server.connect()
        #expect(plain.ask(text, "Content-Type: application/json", body: right)?.status == 403)
        #expect(plain.ask(text, "Content-Type: text/plain", body: right)?.status == 415)
    }

    // MARK: Events

    @Test func eventsAreSentWhileTheyHappen() async throws {
        let server = try APIServer()
        let client = try server.connect()
        client.send(APIServer.text(of: "GET /api/v1/events?path=/cam&kind=settings-changed,source-down"))
        let head = try #require(client.response(hasBody: false))
        #expect(head.status == 200 && head.header("Content-Type") == "text/event-stream")
        #expect(head.header("Transfer-Encoding") == "chunked")
        #expect(try server.ask("PATCH /api/v1/settings?path=/yard", body: #"{"title":"other"}"#).status == 200)
        #expect(try server.ask("PATCH /api/v1/settings?path=/cam", body: #"{"title":"this"}"#).status == 200)
        var text = ""
        #expect(
            await eventually(within: 10) {
                text += String(decoding: client.bytes(atLeast: 1, within: 0.1), as: UTF8.self)
                return text.contains("\n\n\r\n") && text.contains("data: ")
            }, "\(text)")
        #expect(text.contains("retry: 1000\nid: ") && !text.contains("/yard"))
        let data = try #require(text.split(separator: "\n").first { $0.hasPrefix("data: ") }).dropFirst(6)
        let event = try #require(try JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: Any])
        #expect(event["kind"] as? String == "settings-changed" && event["path"] as? String == "/cam")
        #expect(event["text"] as? String == "settings of /cam have changed: title")
        #expect(abs((event["time"] as? Double ?? 0) / 1_000 - Date.now.timeIntervalSince1970) < 60)
        #expect(try server.ask("GET /api/v1/events?kind=x").status == 400)
        #expect(try server.ask("HEAD /api/v1/events").status == 200)
    }

    @Test func aClientThatComesBackGetsTheEventsThatItHasMissed() async throws {
        let server = try APIServer()
        func follow(after id: String?, until end: String) async throws -> String {
            let client = try server.connect()
            let headers = id.map { ["Last-Event-ID: \($0)"] } ?? []
            client.send(APIServer.text(of: "GET /api/v1/events?kind=settings-changed", headers))
            #expect(client.response(hasBody: false)?.status == 200)
            var text = ""
            #expect(
                await eventually(within: 10) {
                    text += String(decoding: client.bytes(atLeast: 1, within: 0.1), as: UTF8.self)
                    return text.contains(end)
                }, "\(text)")
            return text
        }
        // The identifier comes before any event, so that no event is missed after it.
        let beginning = try await follow(after: nil, until: "\n\n")
        let id = try #require(beginning.split(separator: "\n").first { $0.hasPrefix("id: ") }).dropFirst(4)
        for title in ["one", "two"] {
            #expect(
                try server.ask("PATCH /api/v1/settings?path=/cam", body: "{\"title\":\"\(title)\"}").status == 200)
        }
        let missed = try await follow(after: String(id), until: "settings-changed\",\"number\":")
        #expect(missed.contains("id: \(id)\n") && !missed.contains("event: dropped"))
        let unknown = try await follow(after: "other-7", until: "settings-changed\",\"number\":")
        #expect(unknown.contains("event: dropped\ndata: {\"events\":null}\n\n") && !unknown.contains("other-7"))
    }

    @Test func eventsEndWithTheRightToThem() async throws {
        let server = try APIServer()
        let client = try server.connect()
        client.send(APIServer.text(of: "GET /api/v1/events"))
        #expect(client.response(hasBody: false)?.status == 200)
        let new = try Configuration(
            yaml: "paths: { cam: { source: testcard } }\nusers: { ann: { password: sesame sesame } }", file: "apus.yml")
        var changed = server.assembly.state.withLock(\.base)
        changed.users = new.users
        _ = server.assembly.apply(changed)
        // The next event finds that the rights have changed.
        server.assembly.events.publish("/cam") { .sourceUp }
        #expect(
            await eventually(within: 10) {
                _ = client.bytes(atLeast: 1, within: 0.1)
                return client.isClosed
            })
    }
}
