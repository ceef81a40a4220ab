import Testing

@testable import HTTPServer

/// Which stream a path names.
struct RouterTests {
    private func stream(_ path: String, at place: Route.Place) -> String? {
        let router = Router(routes: [Route(place, for: .stream(.read)) { _, _ in }])
        guard case .route(_, let streamPath) = router.match(path, .get) else { return nil }
        return streamPath
    }

    @Test func anEndingFollowsThePathOfAStream() {
        for (path, stream) in [
            ("/cam.jpg", "/cam"), ("/yard/cam.jpg", "/yard/cam"), ("/cam.v2.jpg", "/cam.v2"), ("/index.jpg", "/"),
            ("/yard/index.jpg", "/yard/index"),
        ] {
            #expect(self.stream(path, at: .streamEnding(".jpg")) == stream)
        }
        for path in ["/", "/.jpg", "/cam", "/cam.jpg/", "/cam.JPG", "/cam.jpeg"] {
            #expect(stream(path, at: .streamEnding(".jpg")) == nil, "\(path)")
        }
    }

    @Test func aLastPartFollowsThePathOfAStreamAndASlash() {
        for (path, stream) in [("/cam/ws", "/cam"), ("/yard/cam/ws", "/yard/cam"), ("/ws", "/")] {
            #expect(self.stream(path, at: .stream("ws")) == stream)
        }
        for path in ["/", "/cam", "/camws", "/cam/ws/", "//ws"] {
            #expect(stream(path, at: .stream("ws")) == nil, "\(path)")
        }
    }

    @Test func theFirstRouteWithThePathAndTheMethodIsTaken() {
        let router = Router(routes: [
            Route(.folder("/api/"), for: .everyone) { _, _ in },
            Route(.stream("ws"), [.post], for: .stream(.read)) { _, _ in },
            Route(.path("/api/ws"), [.post, .delete], for: .everyone) { _, _ in },
            Route(.playback, for: .playback) { _, _ in },
        ])
        func place(_ path: String, _ method: Request.Method) -> Route.Place? {
            guard case .route(let route, _) = router.match(path, method) else { return nil }
            return route.place
        }
        #expect(place("/api/ws", .head) == .folder("/api/"))
        #expect(place("/api/ws", .post) == .stream("ws"))
        #expect(place("/api/ws", .delete) == .path("/api/ws"))
        #expect(place("/cam/~\(String(repeating: "a", count: 32))/all-0.m3u8", .get) == .playback)
        guard case .methods(let allowed) = router.match("/api/ws", .put) else {
            Issue.record("no route has PUT")
            return
        }
        #expect(allowed.methods == [.get, .head, .post, .post, .delete])
        guard case .nothing = router.match("/cam", .get) else {
            Issue.record("nothing is there")
            return
        }
    }

    /// As clients of WHIP and WHEP ask for it (RFC 9725).
    @Test func optionsTellTheTypesOfBodies() {
        let router = Router(routes: [
            Route(.path("/a"), [.get, .post], for: .everyone, accepting: [.post: "application/sdp"]) { _, _ in },
            Route(.path("/a"), [.patch], for: .everyone, accepting: [.patch: "application/x"]) { _, _ in },
        ])
        guard case .methods(let allowed) = router.match("/a", nil) else {
            Issue.record("there are methods")
            return
        }
        #expect(allowed.headers.map(\.name) == ["Allow", "Accept-Post", "Accept-Patch"])
        #expect(allowed.headers.map(\.value) == ["GET, POST, HEAD, PATCH", "application/sdp", "application/x"])
    }
}
