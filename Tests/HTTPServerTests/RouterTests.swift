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
}
