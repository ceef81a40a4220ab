import Reactor
import Testing

@testable import Server

/// The playlist as VLC reads it, line by line.
struct VLCPlaylistTests {
    @Test func everyURLFollowsItsTitleAndOptions() {
        let playlist = VLCPlaylist(
            title: "Yard", urls: ["rtsp://192.0.2.7:8554/yard", "rtp://@239.255.42.1:5012"], cachingMilliseconds: 80)
        #expect(
            playlist.text == """
                #EXTM3U
                #EXTINF:-1,Yard
                #EXTVLCOPT:network-caching=80
                #EXTVLCOPT:live-caching=80
                #EXTVLCOPT:clock-jitter=0
                rtsp://192.0.2.7:8554/yard
                #EXTINF:-1,Yard
                #EXTVLCOPT:network-caching=80
                #EXTVLCOPT:live-caching=80
                #EXTVLCOPT:clock-jitter=0
                rtp://@239.255.42.1:5012

                """)
    }

    @Test(arguments: [
        "The yard, north", ",", "a\nrtsp://elsewhere/", "a\r\n#EXTVLCOPT:x=1", "a\u{2028}b", "Yard - north - gate", "",
    ])
    func noTitleBreaksTheFileOrIsReadAsAnArtist(_ title: String) throws {
        let text = VLCPlaylist(title: title, urls: ["rtsp://h/a"], cachingMilliseconds: 100).text
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 7)
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || !$0.properties.isWhitespace || $0 == " " })
        let shown = try #require(lines[1].wholeMatch(of: /#EXTINF:-1,(.*)/)).output.1
        #expect(!shown.contains(",") && !shown.contains(" - "))
    }

    @Test func aPlaylistContainsTheURLOfEachHostAndOfAGroupThatIsAlwaysSentTo() throws {
        let yaml = """
            server: { port: 554 }
            paths: { a: {}, b: { title: Yard, multicastTransportStream: always }, c: { multicastTransportStream: onRequest } }
            """
        let configuration = try Configuration(yaml: yaml, file: "apus.yml")
        let hosts = try ["192.0.2.7", "localhost", "cam.local", "::1"].map { try #require(URLHost($0)) }
        let urls = { (name: String) in
            try configuration.playlist(of: name, hosts: hosts, cachingMilliseconds: 100).urls
        }
        let unicast = { (name: String) in
            ["192.0.2.7", "127.0.0.1", "cam.local"].map { "rtsp://\($0):554/\(name)" }
        }
        #expect(try urls("a") == unicast("a"))
        #expect(try urls("b") == unicast("b") + ["rtp://@239.255.42.1:5012"])
        #expect(try urls("c") == unicast("c"))
        #expect(try configuration.playlist(of: "a", hosts: hosts, cachingMilliseconds: 100).title == "a")
        #expect(try configuration.playlist(of: "b", hosts: hosts, cachingMilliseconds: 100).title == "Yard")
    }

    @Test func anUnknownPathIsReportedWithTheNearestName() throws {
        let failure = #expect(throws: PlaylistFailure.self) {
            try Configuration().playlist(of: "can", hosts: [.local], cachingMilliseconds: 100)
        }
        #expect(failure?.description == "the configuration has no path /can; did you mean /cam?")
        let far = #expect(throws: PlaylistFailure.self) {
            try Configuration().playlist(of: "a\nb", hosts: [.local], cachingMilliseconds: 100)
        }
        #expect(far?.description == "the configuration has no path /a\\u{a}b")
    }

    @Test func anIPv6OnlyServerHasNoPlaylist() {
        let hosts = URLHost.reaching(listener: "::1", addresses: [])
        #expect(URLHost.forVLC(among: hosts) == nil)
        #expect(throws: PlaylistFailure.noIPv4) {
            try Configuration().playlist(of: "cam", hosts: hosts, cachingMilliseconds: 100)
        }
    }
}

/// The playlist of a server whose configuration has users.
struct PlaylistLoginTests {
    private struct Unasked: Error {}

    private func configuration(_ password: String, _ options: String = "") throws -> Configuration {
        try Configuration(
            yaml: "{ users: { ann: { password: '\(password)', read: cam } }, paths: { cam: {}, yard: {} } \(options) }",
            file: "apus.yml")
    }

    private func urls(_ configuration: Configuration, as user: String, _ password: String? = nil) throws -> [String] {
        let login = try configuration.urlLogin(of: user, watching: "cam") {
            guard let password else { throw Unasked() }
            return password
        }
        return try configuration.playlist(of: "cam", hosts: [.local], login: login, cachingMilliseconds: 100).urls
    }

    @Test func withUsersAPlaylistNeedsALogin() throws {
        let failure = #expect(throws: PlaylistFailure.self) {
            try configuration("sesame").playlist(of: "cam", hosts: [.local], cachingMilliseconds: 100)
        }
        #expect(failure == .noLogin(users: ["ann"]) && failure?.description.contains("--user ann") == true)
        #expect(throws: PlaylistFailure.noLogin(users: [])) {
            try configuration("sesame").playlist(of: "yard", hosts: [.local], cachingMilliseconds: 100)
        }
    }

    @Test func aPasswordInTheConfigurationIsUsedAndPercentEncoded() throws {
        #expect(try urls(configuration("sesame"), as: "ann") == ["rtsp://ann:sesame@127.0.0.1:8554/cam"])
        #expect(try urls(configuration("a@b:c/d%"), as: "ann") == ["rtsp://ann:a%40b%3ac%2fd%25@127.0.0.1:8554/cam"])
    }

    @Test(arguments: [PasswordEntry.Form.digest, .salted])
    func aHashedPasswordIsAskedForAndChecked(form: PasswordEntry.Form) throws {
        let entry = try PasswordEntry(user: "ann", password: "sesame77", as: form, for: .init())
        let configuration = try Configuration(yaml: entry.text + "paths: { cam: {} }\n", file: "apus.yml")
        #expect(try urls(configuration, as: "ann", "sesame77") == ["rtsp://ann:sesame77@127.0.0.1:8554/cam"])
        for wrong in ["sesame78", ""] {
            #expect(throws: URLLoginFailure.wrongPassword(user: "ann")) { try urls(configuration, as: "ann", wrong) }
        }
    }

    @Test func usersWithoutTheRightToWatchAreRefused() throws {
        let configuration = try configuration("sesame")
        #expect(throws: URLLoginFailure.noUser("an", nearest: "ann")) { try urls(configuration, as: "an") }
        #expect(throws: URLLoginFailure.notPermitted(user: "ann", path: "yard")) {
            try configuration.urlLogin(of: "ann", watching: "yard") { "sesame" }
        }
        #expect(throws: URLLoginFailure.noUsers) { try urls(Configuration(), as: "ann", "sesame") }
    }
}
