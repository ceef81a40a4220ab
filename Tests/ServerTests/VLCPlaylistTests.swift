import Reactor
import Testing

@testable import Server

/// The playlist as VLC reads it, line by line.
struct VLCPlaylistTests {
    @Test func everyURLHasItsTitleAndItsOptionsBeforeIt() {
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
    func noTitleBreaksTheFileOrIsTakenForAnArtist(_ title: String) throws {
        let text = VLCPlaylist(title: title, urls: ["rtsp://h/a"], cachingMilliseconds: 100).text
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 7)
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || !$0.properties.isWhitespace || $0 == " " })
        let shown = try #require(lines[1].wholeMatch(of: /#EXTINF:-1,(.*)/)).output.1
        #expect(!shown.contains(",") && !shown.contains(" - "))
    }

    @Test func aPlaylistHasThePathFromEachHostAndThenFromItsGroupWhereThatIsAlwaysOnAir() throws {
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

    @Test func aPathThatIsNotThereNamesTheNearest() throws {
        let failure = #expect(throws: PlaylistFailure.self) {
            try Configuration().playlist(of: "can", hosts: [.local], cachingMilliseconds: 100)
        }
        #expect(failure?.description == "the configuration has no path /can; the nearest is /cam")
        let far = #expect(throws: PlaylistFailure.self) {
            try Configuration().playlist(of: "a\nb", hosts: [.local], cachingMilliseconds: 100)
        }
        #expect(far?.description == "the configuration has no path /a\\u{a}b")
    }

    @Test func aServerThatListensAtAnIPv6AddressHasNoURLForEveryVLC() {
        let hosts = URLHost.reaching(listener: "::1", addresses: [])
        #expect(URLHost.forVLC(among: hosts) == nil)
        #expect(throws: PlaylistFailure.noIPv4) {
            try Configuration().playlist(of: "cam", hosts: hosts, cachingMilliseconds: 100)
        }
    }
}
