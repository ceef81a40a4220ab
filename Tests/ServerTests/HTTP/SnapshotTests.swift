import Codecs
import Dispatch
import Foundation
import Media
import Streams
import TestSupport
import Testing

@testable import Server

/// `GET /PATH.jpg` of a server with test cards of 160 × 120 pixels.
struct SnapshotTests {
    private static let publishing = "live: { source: publish }"

    private func image(_ response: HTTPSocket.Response) throws -> DecodedVideoFrame {
        #expect(response.status == 200 && response.header("Content-Type") == "image/jpeg", "\(response.text)")
        return try StillImage.decode(response.body)
    }

    @Test func theNewestFrameIsSentInFullSizeOrSmaller() throws {
        let server = try APIServer("")
        let before = Date().timeIntervalSince1970 * 1_000
        let client = try server.connect()
        let full = try #require(client.ask("GET /cam.jpg"))
        #expect(try image(full).width == 160 && image(full).height == 120)
        let captured = try #require(full.header("Capture-Time").flatMap(Double.init))
        #expect((before - 1_000...Date().timeIntervalSince1970 * 1_000).contains(captured))
        #expect(full.header("Cache-Control") == "no-cache")
        // No image is enlarged, and what is not known is ignored, such as the number that some clients add against caches.
        for query in ["width=160", "width=640", "width=5000", "width=12&_=17"] {
            #expect(try image(#require(client.ask("GET /cam.jpg?\(query)"))).width == 160)
        }
        for query in ["width=0", "width=x", "width=", "width=-160", "width=160&width=320"] {
            let refused = try #require(try server.connect().ask("GET /cam.jpg?\(query)"))
            #expect(refused.status == 400, "\(query)")
        }
        #expect(client.ask("GET /none.jpg")?.status == 404)
        #expect(client.ask("GET /cam/.jpg")?.status == 404 && client.ask("GET /.jpg")?.status == 404)
        #expect(client.ask("POST /cam.jpg")?.status == 405)
    }

    @Test func headHasTheHeadersOfGet() throws {
        let server = try APIServer("")
        let response = try #require(try server.connect().ask("HEAD /cam.jpg"))
        #expect(response.status == 200 && response.header("Content-Type") == "image/jpeg")
        #expect(response.header("ETag") != nil && response.header("Capture-Time") != nil)
        #expect(response.header("Content-Length").flatMap(Int.init) ?? 0 > 500)
    }

    @Test func anImageThatTheClientHasIsNotSentAgain() async throws {
        let server = try APIServer("")
        let stream = try #require(server.assembly.state.withLock { $0.paths["cam"]?.stream })
        #expect(await eventually(within: 20) { stream.newestFrame != nil })
        // No further frame comes.
        let supervisor = try #require(server.assembly.state.withLock { $0.paths["cam"]?.supervisor })
        supervisor.stop()
        #expect(supervisor.join(until: .now() + 10))
        let client = try server.connect()
        let first = try #require(client.ask("GET /cam.jpg"))
        let tag = try #require(first.header("ETag"))
        for condition in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
            let again = try #require(client.ask("GET /cam.jpg", "If-None-Match: \(condition)"))
            #expect(again.status == 304 && again.header("ETag") == tag && again.body.isEmpty, "\(condition)")
        }
        #expect(client.ask("GET /cam.jpg", "If-None-Match: \"other\"")?.status == 200)
        let small = try #require(client.ask("GET /cam.jpg?width=1", "If-None-Match: \(tag)"))
        #expect(small.status == 200 && small.header("ETag") != tag, "another width is another image")
    }

    @Test func theRightToWatchIsNeeded() throws {
        let server = try APIServer()
        #expect(try server.ask("GET /cam.jpg", as: nil).status == 401)
        #expect(try server.ask("GET /yard.jpg", as: "bob:garden garden").status == 401)
        #expect(try server.ask("GET /cam.jpg", as: "bob:garden garden").status == 200)
        #expect(try server.ask("GET /none.jpg", as: nil).status == 401, "as if there were such a stream")
    }

    @Test func aStreamWithoutVideoHasNoSnapshot() throws {
        let server = try APIServer("", paths: Self.publishing)
        let stream = try #require(server.assembly.state.withLock { $0.paths["live"]?.stream })
        let aac = AAC.AudioSpecificConfig(bytes: [0x11, 0x90], sampleRate: .audio48k, channelCount: 2)
        stream.announce([Track(id: TrackID(0), format: .aac(aac))])
        let response = try #require(try server.connect().ask("GET /live.jpg"))
        #expect(response.status == 406 && response.text.contains("/live has no video"))
    }

    /// A path without media holds its clients for a while, but not any number of them.
    @Test func clientsThatWaitForAFirstFrameAreLimited() async throws {
        let server = try APIServer("", paths: Self.publishing)
        let clients = try (0..<80).map { _ in try server.connect() }
        for client in clients { client.send("GET /live.jpg HTTP/1.1\r\nHost: localhost\r\n\r\n") }
        let responses = clients.map { $0.response() }
        #expect(responses.allSatisfy { $0?.status == 503 && $0?.header("Retry-After") != nil })
        #expect(responses.count { $0?.text.contains("too many snapshots") == true } == 80 - 64)
        #expect(responses.count { $0?.text.contains("/live has no input") == true } == 64)
        // They wait no longer.
        let stream = try #require(server.assembly.state.withLock { $0.paths["live"]?.stream })
        #expect(await eventually(within: 20) { !stream.demand.isNeeded })
    }

    /// Clients that do not read hold the memory of their images.
    @Test func imagesThatAreNotSentYetAreLimited() throws {
        let server = try APIServer("")
        let charge = try #require(server.assembly.snapshots.unsent.charge(31_999_999))
        let refused = try #require(try server.connect().ask("GET /cam.jpg"))
        #expect(refused.status == 503 && refused.header("Retry-After") == "1")
        withExtendedLifetime(charge) {}
    }

    @Test func framesThatCannotBeDecodedAreNoImage() throws {
        let server = try APIServer("", paths: Self.publishing)
        let stream = try #require(server.assembly.state.withLock { $0.paths["live"]?.stream })
        let sets = try #require(
            H264.ParameterSets(
                sequence: [[0x67, 0x42, 0xC0, 0x1E, 0xDA, 0x02, 0x80, 0xF6, 0x80]], picture: [[0x68, 0xCE, 0x3C, 0x80]])
        )
        stream.announce([Track(id: TrackID(0), format: .h264(sets))])
        let time = MediaTime(ticks: 0, rate: .video)
        stream.publish(
            AccessUnit(
                track: TrackID(0), presentationTime: time, decodeTime: time, isKeyframe: true,
                nalUnits: [[0x65, 7, 7, 7]]))
        let response = try #require(try server.connect().ask("GET /live.jpg"))
        #expect(response.status == 503 && response.text.contains("no frame that can be decoded"), "\(response.text)")
    }
}
