import Reactor
import Testing

@testable import Server

@Suite struct DatagramURLTests {
    @Test(
        arguments: [
            ("udp://239.1.1.1:5000", "239.1.1.1:5000", [], nil),
            ("UDP://@239.1.1.1:5000/?pkt_size=1316&fifo_size=1000000", "239.1.1.1:5000", [], nil),
            ("udp://192.0.2.9@232.1.1.1:5000", "232.1.1.1:5000", ["192.0.2.9"], nil),
            (
                "udp://239.1.1.1:5000?localaddr=192.0.2.2&sources=192.0.2.9,192.0.2.8", "239.1.1.1:5000",
                ["192.0.2.9", "192.0.2.8"], "192.0.2.2"
            ),
            ("udp://[ff15::1]:5000", "[ff15::1]:5000", [], nil),
            ("udp://:5000", "[::]:5000", [], nil), ("udp://@:5000", "[::]:5000", [], nil),
            ("udp://0.0.0.0:5000", "0.0.0.0:5000", [], nil), ("udp://127.0.0.1:5000", "127.0.0.1:5000", [], nil),
            ("udp://@:5000?localaddr=127.0.0.1", "127.0.0.1:5000", [], nil),
        ] as [(String, String, [String], String?)])
    func theFormsOfPlayersAreRead(text: String, address: String, sources: [String], interface: String?) throws {
        let url = try DatagramURL(text)
        #expect("\(url.address)" == address)
        #expect(url.sources.map(\.host) == sources)
        #expect(url.interface?.host == interface)
        #expect(url.transport == (url.address.isMulticast ? "multicast" : "UDP"))
    }

    @Test(
        arguments: [
            ("udp://", .noPort), ("udp://239.1.1.1", .noPort), ("udp://239.1.1.1:0", .noPort),
            ("udp://239.1.1.1:70000", .noPort), ("udp://camera:5000", .host("camera")),
            ("udp://a@239.1.1.1:5000", .host("a")), ("udp://239.1.1.1:5000?localaddr=eth0", .host("eth0")),
            ("udp://192.0.2.9@192.0.2.2:5000", .sourcesWithoutGroup),
            ("udp://fe80::1@239.1.1.1:5000", .otherFamily("fe80::1")),
        ] as [(String, DatagramURLError)])
    func othersAreRefusedWithAReason(text: String, error: DatagramURLError) {
        #expect(throws: error) { try DatagramURL(text) }
        let problem = SourceSpecification(text)?.spellingProblem
        #expect(problem == "this is not a valid UDP URL: \(error)")
    }

    /// What is in front of a group is no password.
    @Test func aSourceIsNoSecret() {
        #expect(SourceSpecification("udp://192.0.2.9@232.1.1.1:5000")?.hasPassword == false)
        #expect(SourceSpecification("http://ann:sesame@h/a")?.hasPassword == true)
    }
}
