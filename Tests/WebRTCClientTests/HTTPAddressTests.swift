import Testing

@testable import WebRTCClient

/// Addresses of HTTP, and what `Location` refers to.
struct HTTPAddressTests {
    private func address(_ host: String, _ port: UInt16?, isSecure: Bool = false) -> HTTPAddress {
        HTTPAddress(isSecure: isSecure, host: host, port: port, target: "/cam/whep?x=1")
    }

    @Test func theAuthorityNamesAnUnusualPort() {
        #expect(address("h", nil).text == "http://h/cam/whep?x=1")
        #expect(address("h", 80).authority == "h" && address("h", 443).authority == "h:443")
        #expect(address("h", nil, isSecure: true).port == 443 && address("h", 443, isSecure: true).authority == "h")
        #expect(address("::1", 8_888).text == "http://[::1]:8888/cam/whep?x=1")
    }

    @Test(arguments: [
        ("/sessions/1", "/sessions/1"), ("http://h:8888/s/1?y", "/s/1?y"), ("session/1", "/cam/session/1"),
        ("HTTP://H:8888/s/1", "/s/1"), ("http://h.:08888/s/1", "/s/1"), ("//h:8888/s/1", "/s/1"),
        ("http://h:8888", "/"), ("http://h:8888?y", "/?y"), ("/s/1#part", "/s/1"), ("s:1/x", nil),
        ("s/1:2?x", "/cam/s/1:2?x"),
        ("http://other/s/1", nil), ("https://h:8888/s/1", nil), ("//other/s/1", nil), ("http://h:88881/s", nil),
        ("http://h:8888@other/s/1", nil), ("http://h/s/1", nil), ("http://h:8888.other/s", nil),
        ("http://h:8888\u{301}/s", nil), ("/s/1 HTTP/1.1", nil), ("/s/\u{e9}", nil),
        ("", nil), ("?x", nil), ("#x", nil), ("mailto:x", nil),
    ])
    func aLocationOfThisServerIsResolved(_ location: String, _ target: String?) {
        #expect(address("h", 8_888).target(of: location) == target)
    }

    /// Servers behind a proxy may spell their address as its configuration does.
    @Test(arguments: [
        "http://cam.example/s", "http://cam.example:80/s", "HTTP://CAM.example/s", "http://cam.example:/s",
        "//Cam.Example./s",
    ])
    func spellingsOfTheHostAreTheSame(_ location: String) {
        #expect(address("CAM.Example", nil).target(of: location) == "/s")
        #expect(address("cam.example", 80).target(of: location) == "/s")
        #expect(address("cam.example", 81).target(of: location) == nil)
    }

    @Test func addressesOfIPv6AreCompared() {
        #expect(address("FE80::1", nil, isSecure: true).target(of: "https://[fe80::1]:443/s") == "/s")
        #expect(address("::1", nil).target(of: "http://[::2]/s") == nil)
    }
}
