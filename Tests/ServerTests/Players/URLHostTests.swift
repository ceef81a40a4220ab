import Reactor
import Testing

@testable import Server

struct URLHostTests {
    @Test(arguments: [
        ("localhost", "localhost", "127.0.0.1"), ("192.0.2.7", "192.0.2.7", "192.0.2.7"),
        ("2001:db8::7", "[2001:db8::7]", nil), ("::1", "[::1]", nil), ("::ffff:192.0.2.7", "192.0.2.7", "192.0.2.7"),
        ("cam_1.local", "cam_1.local", "cam_1.local"),
    ])
    func aHostIsWrittenForURLsAndForVLC(_ given: String, _ text: String, _ vlcText: String?) throws {
        let host = try #require(URLHost(given))
        #expect(host.text == text)
        #expect(host.vlcText == vlcText)
    }

    @Test(arguments: ["", "a b", "a/b", "a:8554", "user@host", "[::1]", "a\n", "ü", String(repeating: "a", count: 254)])
    func invalidHostsAreRefused(_ text: String) {
        #expect(URLHost(text) == nil)
    }

    @Test func theHostsFollowFromTheListeningAddress() throws {
        let others = try ["192.0.2.7", "2001:db8::7"].map { try #require(SocketAddress($0, port: 0)) }
        let everywhere = [URLHost.local] + others.map(URLHost.address)
        for listener in ["", "::", "0.0.0.0"] {
            #expect(URLHost.reaching(listener: listener, addresses: others) == everywhere)
        }
        for listener in ["192.0.2.7", "2001:db8::7", "::1", "127.0.0.1"] {
            #expect(URLHost.reaching(listener: listener, addresses: others) == [try #require(URLHost(listener))])
        }
    }

    @Test func vlcGetsAnIPv4AddressOfTheNetworkIfThereIsOne() throws {
        let hosts = try ["localhost", "2001:db8::7", "192.0.2.7", "192.0.2.8"].map { try #require(URLHost($0)) }
        #expect(URLHost.forVLC(among: hosts) == hosts[2])
        #expect(URLHost.forVLC(among: Array(hosts[...1])) == .local)
        #expect(URLHost.forVLC(among: [hosts[1]]) == nil)
    }
}
