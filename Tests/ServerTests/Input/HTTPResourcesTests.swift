import Connecting
import Muxing
import RTSP
import Reactor
import TestSupport
import Testing

@testable import Server

/// Resources of a web server on loopback.
struct HTTPResourcesTests {
    private static let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }

    /// A server with a file and redirections to `target`.
    private static func server(target: String = "/file") throws -> WebServer {
        try WebServer(answering: { request in
            switch request.path {
            case "/file": .file(bytes, type: "video/x", to: request)
            case "/whole": WebServer.Response(200, body: bytes)
            case "/moved": WebServer.Response(302, ["Location: \(target)"])
            case "/circle": WebServer.Response(302, ["Location: /circle"])
            case "/private":
                request.header("Authorization") == nil
                    ? WebServer.Response(401, ["WWW-Authenticate: Basic realm=\"x\""]) : .file(bytes, to: request)
            case "/silent": nil
            default: WebServer.Response(404)
            }
        })
    }

    private static func url(_ server: WebServer, _ path: String, _ login: String = "") -> String {
        "http://\(login)127.0.0.1:\(server.port)\(path)"
    }

    private static func opener(
        allowed: [String] = [], denied: [String] = [], isFromElsewhere: Bool = false,
        interruption: Interruption = Interruption()
    ) -> HTTPResources {
        let rules = AddressRules(
            allowed: allowed.compactMap { AddressBlock($0) }, denied: denied.compactMap { AddressBlock($0) })
        return HTTPResources(
            PermittedDestinations(rules), isFromElsewhere: isFromElsewhere, interruption: interruption)
    }

    private static func read(_ resource: any Resource, _ limit: Int = .max) throws -> [UInt8] {
        var result: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 7_000, alignment: 1)
        defer { buffer.deallocate() }
        while result.count < limit {
            let count = try resource.read(into: buffer)
            guard count > 0 else { break }
            result += buffer[..<count]
        }
        return result
    }

    /// Why a URL cannot be opened.
    private static func failure(
        _ opener: HTTPResources, _ url: String, from origin: ResourceOrigin = .input
    ) -> ResourceFailure? {
        do throws(ResourceFailure) {
            _ = try opener.open(url, .whole, from: origin)
            return nil
        } catch {
            return error
        }
    }

    @Test func aFileIsReadFromAnyPosition() throws {
        let server = try Self.server()
        defer { server.stop() }
        let resource = try Self.opener().open(Self.url(server, "/file"), .whole, from: .input)
        #expect(resource.byteCount == Int64(Self.bytes.count) && resource.mediaType == "video/x")
        #expect(try Self.read(resource, 20_000).elementsEqual(Self.bytes.prefix(21_000)))
        for position in [299_000, 0, 299_999, 300_000, 150_000] {
            resource.seek(to: Int64(position))
            #expect(try Self.read(resource).elementsEqual(Self.bytes[position...]), "\(position)")
        }
    }

    @Test func aPartIsReadAlone() throws {
        let server = try Self.server()
        defer { server.stop() }
        let opener = Self.opener()
        let resource = try opener.open(
            Self.url(server, "/file"), ResourceRange(start: 100_000, end: 120_000), from: .resource)
        #expect(try Self.read(resource).elementsEqual(Self.bytes[100_000..<120_000]))
        #expect(resource.byteCount == nil)
        // This server sends no parts.
        let whole = try opener.open(Self.url(server, "/whole"), .whole, from: .input)
        #expect(try Self.read(whole) == Self.bytes)
        #expect(whole.byteCount == nil)
        #expect(throws: ResourceFailure.self) {
            try opener.open(Self.url(server, "/whole"), ResourceRange(start: 5), from: .input)
        }
    }

    @Test func redirectionsAreFollowedFiveTimes() throws {
        let server = try Self.server()
        defer { server.stop() }
        let resource = try Self.opener().open(Self.url(server, "/moved"), .whole, from: .input)
        #expect(resource.location == Self.url(server, "/file"))
        #expect(try Self.read(resource) == Self.bytes)
        #expect(Self.failure(Self.opener(), Self.url(server, "/circle"))?.reason.contains("redirects") == true)
        #expect(server.requestLines.count { $0 == "GET /circle" } == 6)
    }

    @Test(arguments: [(["192.0.2.0/24"], []), ([], ["127.0.0.1"]), (["127.0.0.0/8"], ["127.0.0.1"])])
    func onlyPermittedAddressesAreConnectedTo(allowed: [String], denied: [String]) throws {
        let server = try Self.server()
        defer { server.stop() }
        let failure = Self.failure(Self.opener(allowed: allowed, denied: denied), Self.url(server, "/file"))
        #expect(failure?.reason.contains("are not permitted") == true)
        #expect(server.requestLines.isEmpty)
    }

    /// A server elsewhere must not make this host connect to its own services: neither by a playlist nor by a redirection, nor by a name.
    @Test(arguments: ["127.0.0.1", "localhost", "0.0.0.0", "[::1]"])
    func aServerElsewhereDoesNotChooseAddressesOfThisHost(host: String) throws {
        let home = try Self.server()
        let url = "http://\(host):\(home.port)/file"
        // The first connection leads to an address that the rules name, as an owner's device on this host.
        let signpost = try Self.server(target: url)
        defer { for server in [home, signpost] { server.stop() } }
        let opener = Self.opener(isFromElsewhere: true)
        let named = Self.failure(opener, url, from: .resource)
        #expect(named?.reason.contains("are not permitted") == true, "\(named?.reason ?? "opened")")
        let redirected = Self.failure(opener, Self.url(signpost, "/moved"))
        #expect(redirected?.reason.contains("are not permitted") == true, "\(redirected?.reason ?? "opened")")
        #expect(home.requestLines.isEmpty)
        guard host == "127.0.0.1" else { return }
        #expect(Self.failure(Self.opener(allowed: ["127.0.0.1"], isFromElsewhere: true), url, from: .resource) == nil)
    }

    @Test func aLoginIsSentToItsServerOnly() throws {
        let other = try Self.server()
        let server = try Self.server(target: Self.url(other, "/private"))
        defer { for server in [server, other] { server.stop() } }
        let opener = Self.opener()
        #expect(Self.failure(opener, Self.url(server, "/private", "ann:secret@")) == nil)
        #expect(Self.failure(opener, Self.url(server, "/moved", "ann:secret@"))?.reason.contains("401") == true)
        #expect(server.hasReceived("Authorization: Basic") && !other.hasReceived("Authorization"))
    }

    @Test func theStatusIsReported() throws {
        let server = try Self.server()
        defer { server.stop() }
        #expect(Self.failure(Self.opener(), Self.url(server, "/gone"))?.reason.contains("404") == true)
        let port = try LoopbackSocket.freePort()
        let refused = Self.failure(Self.opener(), "http://127.0.0.1:\(port)/")
        #expect(refused?.reason.contains("refused") == true || refused?.reason.contains("connect") == true)
    }

    @Test func anInterruptionEndsAWait() throws {
        let server = try Self.server()
        defer { server.stop() }
        let interruption = Interruption()
        interruption.interrupt()
        let failure = Self.failure(Self.opener(interruption: interruption), Self.url(server, "/silent"))
        #expect(failure?.isInterruption == true)
    }
}
