import Media
import Testing

@testable import SDP

@Suite struct ExtensionMapTests {
    private static let uri = "http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time"

    @Test func extensionsOfAllTracksAreParsed() throws {
        let description = try SessionDescription(parsing: GoldenFiles.bytes("ours/testcard.sdp"))
        let tracks = try description.media.enumerated().map { try #require($1.describedTrack?.track(id: TrackID($0))) }
        func announced(_ extensions: [ExtensionMap]) throws -> SessionDescription {
            let live = SessionDescription.live(
                title: "card", description: nil, tracks: tracks, connection: .unspecified(ipVersion: .ipv4),
                originSessionID: 1, originVersion: 1, originAddress: "127.0.0.1", controls: true,
                extensions: extensions)
            return try SessionDescription(parsing: live.text)
        }
        let map = ExtensionMap(identifier: 1, uri: Self.uri)
        #expect(try announced([map]).media.map(\.extensionMaps) == [[map], [map]])
        #expect(try announced([map]).media.map(\.describedTrack) == announced([]).media.map(\.describedTrack))
        #expect(try !announced([]).text.contains("extmap"))
    }

    @Test(arguments: [
        ("1 urn:a", 1, "urn:a"), ("14/sendonly urn:a", 14, "urn:a"), ("4096 urn:a attribute=1 more", 4096, "urn:a"),
        (" 2   urn:b ", 2, "urn:b"),
    ])
    func aMapHasANumberAndAName(_ value: String, _ identifier: UInt16, _ uri: String) {
        #expect(ExtensionMap(value) == ExtensionMap(identifier: identifier, uri: uri))
    }

    @Test(arguments: ["", "1", "urn:a 1", "-1 urn:a", "65536 urn:a", "/sendonly urn:a"])
    func malformedMapsAreIgnored(_ value: String) {
        #expect(ExtensionMap(value) == nil)
    }
}
