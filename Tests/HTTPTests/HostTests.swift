import Testing

@testable import HTTP

/// Names of hosts: in `Host`, in `Origin`, and as proxies report them.
struct HostTests {
    @Test(
        arguments: [
            ("localhost", "localhost", nil), ("Cam.Example.:8888", "cam.example", 8888),
            ("192.0.2.7:", "192.0.2.7", nil),
            ("[::1]:80", "::1", 80), ("[2001:DB8::7]", "2001:db8::7", nil), ("a_b-c", "a_b-c", nil),
        ] as [(String, String, UInt16?)])
    func hostsAndPortsAreRead(text: String, host: String, port: UInt16?) throws {
        let authority = try #require(Authority(text))
        #expect(authority.host == host && authority.port == port)
        #expect(Authority(authority.description) == authority)
    }

    @Test(arguments: [
        "", ".", "h..", ":80", "[]", "[::1", "::1", "h:x", "h:123456", "h:65536", "h:-1", "u@h", "a b", "a/b", "h%2e",
        "[g]",
        "[::1]x", "ü", "h:1:2", String(repeating: "a", count: 261),
    ])
    func otherTextsAreNoHost(text: String) {
        #expect(Authority(text) == nil)
    }

    @Test func originsAreComparedWithTheirPorts() throws {
        let host = try #require(Authority("h:80"))
        #expect(Origin("http://h") == Origin(host, isSecure: false))
        #expect(Origin("HTTP://H:80") == Origin("http://h"))
        #expect(Origin("https://h") != Origin("http://h:443"))
        #expect(Origin("http://h:8888") != Origin("http://h:8889"))
        #expect(Origin("https://[::1]:8889")?.description == "https://[::1]:8889")
        #expect(Origin("https://h:443")?.description == "https://h")
        for text in ["null", "", "http://", "http://h/", "file://h", "http://h http://i", "chrome-extension://a"] {
            #expect(Origin(text) == nil, "\(text)")
        }
    }

    private func forwarding(
        _ forwarded: [String] = [], for xForwardedFor: [String] = [], proto: [String] = [], via: [String] = []
    )
        -> Forwarding
    {
        Forwarding(forwarded: forwarded, xForwardedFor: xForwardedFor, xForwardedProto: proto, via: via)
    }

    @Test func theClientIsTheLastAddressThatIsNoTrustedProxy() {
        let isTrusted: (String) -> Bool = { $0.hasPrefix("10.") }
        #expect(forwarding(for: ["192.0.2.1, 192.0.2.7, 10.0.0.1"]).client(isTrusted: isTrusted) == "192.0.2.7")
        #expect(forwarding(for: ["192.0.2.1", "192.0.2.8"]).client(isTrusted: isTrusted) == "192.0.2.8")
        #expect(forwarding(for: ["10.0.0.1"]).client(isTrusted: isTrusted) == nil)
        #expect(forwarding(for: ["192.0.2.7, unknown"]).client(isTrusted: isTrusted) == nil)
        #expect(forwarding().client(isTrusted: isTrusted) == nil)
        #expect(
            forwarding(["for=192.0.2.1", "For=\"[2001:db8::7]:4711\";proto=https;by=_hidden"])
                .client(isTrusted: isTrusted) == "2001:db8::7")
        #expect(forwarding(["for=\"a,b\";for=192.0.2.7"]).client(isTrusted: isTrusted) == "192.0.2.7")
        #expect(forwarding(["for=_hidden"], for: ["192.0.2.7"]).client(isTrusted: isTrusted) == nil)
    }

    @Test(
        arguments: [
            ("192.0.2.7", "192.0.2.7"), ("192.0.2.7:80", "192.0.2.7"), ("2001:db8::7", "2001:db8::7"),
            ("[2001:db8::7]:80", "2001:db8::7"), ("name", nil), ("_x", nil), ("", nil),
        ] as [(String, String?)])
    func addressesOfProxiesAreRead(text: String, address: String?) {
        #expect(forwarding(for: ["192.0.2.1, \(text)"]).clients.last == (text.isEmpty ? "192.0.2.1" : address))
    }

    @Test func theNearestProxyTellsWhetherItsClientUsedTLS() {
        #expect(forwarding(["proto=http, proto=HTTPS"]).isSecure && !forwarding(["proto=https, proto=http"]).isSecure)
        #expect(forwarding(proto: ["https"]).isSecure && !forwarding(proto: ["https, http"]).isSecure)
        #expect(!forwarding().isSecure && !forwarding().isMentioned)
        #expect(forwarding(via: ["1.1 proxy"]).isMentioned && forwarding(for: [""]).isMentioned)
    }
}
