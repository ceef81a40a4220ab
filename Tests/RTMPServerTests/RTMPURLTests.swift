import RTMPClient
import Testing

@testable import RTMP

@Suite struct RTMPURLTests {
    @Test(arguments: [
        ("rtmp://h/live/cam", "rtmp://h/live/…", 1_935, "live", "cam"),
        ("RTMPS://h/live/cam", "RTMPS://h/live/…", 443, "live", "cam"),
        ("rtmp://ann:se%40same@h:19/a/b/cam?key=1", "rtmp://h:19/a/b/…", 19, "a/b", "cam?key=1"),
        ("rtmp://[::1]:1936/cam", "rtmp://[::1]:1936/cam", 1_936, "cam", ""),
        ("rtmp://h/live/cam@1", "rtmp://h/live/…", 1_935, "live", "cam@1"),
        ("rtmp://ann:p@h/live/cam@1", "rtmp://h/live/…", 1_935, "live", "cam@1"),
        ("rtmp://h/cam?pass=sesame", "rtmp://h/cam?…", 1_935, "cam?pass=sesame", ""),
    ])
    func itsPartsAreRead(_ text: String, label: String, port: UInt16, app: String, name: String) throws {
        let url = try #require(RTMPURL(text))
        #expect(url.labelWithoutName == label && url.port == port)
        #expect(!url.label.contains("same") && !url.labelWithoutName.contains("same"))
        let target = url.target(.publish)
        #expect(target.app == app && target.streamName == name)
        #expect(url.connection.port == port && url.connection.isSecure == (port == 443))
    }

    @Test func userAndPasswordAreDecoded() throws {
        let information = try #require(RTMPURL("rtmp://a%20b:se%40same@h/live/cam")?.userInformation)
        #expect(information.user == "a b" && information.password == "se@same")
        #expect(RTMPURL("rtmp://h/live/cam")?.userInformation == nil)
    }

    @Test(arguments: [
        "", "rtmp://", "rtmp://h", "rtmp://h/", "rtmp://h//", "rtmp:///a/b", "http://h/a", "rtmp://h:0/a",
        "rtmp://h:70000/a",
        "rtmp://h:x/a", "rtmp://h/a#b", "rtmp://[::1/a", "rtmpx://h/a",
    ])
    func whatIsNoURLIsRefused(_ text: String) {
        #expect(RTMPURL(text) == nil)
    }
}
