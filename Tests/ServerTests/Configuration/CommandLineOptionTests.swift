import Testing

@testable import Server

/// The options of `apus serve` for its paths and users.
struct CommandLineOptionTests {
    @Test func anOptionOfAPathIsSetByItsKey() throws {
        var path = Configuration.Path()
        try path.set("video.width", to: "640")
        try path.set("title", to: "null")
        #expect(path.video.width == 640)
        #expect(path.title == "null")
        try path.set("title", to: "{ a: 1 }")
        #expect(path.title == "{ a: 1 }")
    }

    @Test(arguments: [
        ("video.width", "8", "expects a whole number from 16 to 8192"),
        ("title", "a\nb", "expects one line of text"),
    ])
    func anInvalidValueChangesNothing(key: String, text: String, message: String) {
        var path = Configuration.Path()
        let error = #expect(throws: InvalidArgument.self) { try path.set(key, to: text) }
        #expect(error?.description.hasPrefix(message) == true)
        #expect(path == Configuration.Path())
    }

    @Test func aUserMayWatchAllPaths() throws {
        var configuration = Configuration()
        try configuration.addUser("ann:se:cret")
        var expected = Configuration.User()
        expected.password = StoredPassword("se:cret")
        #expect(configuration.users == ["ann": expected])
    }

    @Test(arguments: ["", "ann", ":secret", "ann:", "an n:secret", "ann:sec\nret", "ann:salted:00"])
    func anInvalidUserIsRefusedWithoutItsPassword(text: String) {
        var configuration = Configuration()
        let error = #expect(throws: InvalidArgument.self) { try configuration.addUser(text) }
        #expect(error?.description.hasPrefix("expects NAME:PASSWORD") == true)
        #expect(error?.description.contains("sec") == false)
        #expect(configuration.users.isEmpty)
    }

    @Test func aUserIsRefusedWithAnExternalAuthoriser() {
        var configuration = Configuration()
        configuration.access.httpCallback = "http://127.0.0.1/"
        #expect(throws: InvalidArgument.self) { try configuration.addUser("ann:secret") }
    }
}
