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
        ("http://other/s/1", nil), ("https://h:8888/s/1", nil), ("//other/s/1", nil), ("http://h:88881/s", nil),
        ("", nil), ("?x", nil), ("mailto:x", nil),
    ])
    func aLocationOfThisServerIsResolved(_ location: String, _ target: String?) {
        #expect(address("h", 8_888).target(of: location) == target)
    }
}
