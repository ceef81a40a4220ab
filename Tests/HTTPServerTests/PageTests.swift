import HTTP
import Page
import RTSP
import TestSupport
import Testing

@testable import HTTPServer

/// The files of the web page, as clients get them.
struct PageRouteTests {
    private func withServer(
        _ services: TestServices = TestServices(), _ body: (HTTPSocket) async throws -> Void
    ) async throws {
        try await TestServer.run(services) { server in try await body(try server.connect()) }
    }

    @Test func theDocumentsAreAtTheRootAndBelowEachStream() async throws {
        try await withServer { client in
            let index = try #require(PageFile.all["index.html"]).bytes
            let player = try #require(PageFile.all["player.html"]).bytes
            #expect(client.ask("GET /")?.body == index)
            #expect(client.ask("GET /cam/")?.body == player)
            #expect(client.ask("GET /yard/north/?embed")?.body == player)
            // The player of the stream at the root.
            #expect(client.ask("GET /?player")?.body == player)
            #expect(client.ask("GET /cam")?.status == 404)
        }
    }

    @Test func allFilesAreServedWithTypeAndEntityTag() async throws {
        try await withServer { client in
            for file in PageFile.all.values {
                let response = try #require(client.ask("GET /page/\(file.name)"))
                #expect(response.status == 200 && response.body == file.bytes, "\(file.name)")
                #expect(response.header("Content-Type") == file.contentType)
                #expect(response.header("ETag") == file.entityTag)
                #expect(response.header("Cache-Control") == "no-cache")
            }
            #expect(client.ask("GET /page/none.js")?.status == 404)
            // The player of a stream with this name.
            #expect(client.ask("GET /page/")?.body == PageFile.all["player.html"]?.bytes)
        }
    }

    @Test func aClientThatHasTheFileGetsNoBody() async throws {
        try await withServer { client in
            let tag = try #require(client.ask("GET /page/grid.js")?.header("ETag"))
            for known in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
                let response = try #require(client.ask("GET /page/grid.js", "If-None-Match: \(known)"))
                #expect(response.status == 304 && response.body.isEmpty, "\(known)")
                #expect(response.header("ETag") == tag && response.header("Content-Length") == nil)
            }
            #expect(client.ask("GET /page/grid.js", "If-None-Match: \"other\"")?.status == 200)
        }
    }

    @Test func thePageRunsOnlyFilesOfThisServer() async throws {
        try await withServer { client in
            let policy = try #require(client.ask("GET /")?.header("Content-Security-Policy"))
            #expect(policy.hasPrefix("default-src 'self'; ") && !policy.contains("unsafe"))
            #expect(policy.hasSuffix("frame-ancestors 'none'"))
        }
    }

    @Test func pagesInTheOptionMayShowIt() async throws {
        let origins = [try #require(Origin("https://home.example:8123")), try #require(Origin("http://panel.example"))]
        let policy = PagePolicy(frameAncestors: origins).text
        #expect(policy.hasSuffix("frame-ancestors https://home.example:8123 http://panel.example"))
    }
}
