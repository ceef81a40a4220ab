import Foundation
import Logging
import TestSupport
import Testing

@testable import Server

/// A server with two small test cards and users, for tests of its HTTP API.
final class APIServer {
    let assembly: Assembly
    let port: Int
    let tail = LogTail()

    static let users = """
        users:
          ann: { password: sesame sesame, read: ['*'], control: ['*'], status: true }
          bob: { password: garden garden, read: [cam], control: [yard] }
        """

    /// - Parameters:
    ///   - yaml: further sections of the configuration.
    ///   - paths: further lines of its paths.
    init(_ yaml: String = users, paths: String = "") throws {
        port = try LoopbackSocket.freePort()
        var configuration = try Configuration(
            yaml: """
                rtp: { firstUDPPort: 20000, lastUDPPort: 24000 }
                loops: { threads: 1 }
                http: { port: \(port), trustedProxies: [127.0.0.1] }
                control: { socket: '' }
                paths:
                  cam: { source: testcard, video: { width: 160, height: 120, frameRate: 15 } }
                  yard: { source: testcard, video: { width: 160, height: 120, frameRate: 15 } }
                  \(paths)
                \(yaml)
                """, file: "apus.yml")
        configuration.server.port = 0
        let tail = tail
        let log = Logger(label: "test") { LineLogHandler(label: $0, tail: tail, isTerminal: false) { _ in } }
        assembly = try Assembly(configuration, log: log, logTail: tail)
        try assembly.start()
    }

    deinit { assembly.stop() }

    func connect() throws -> HTTPSocket { try HTTPSocket(port: port) }

    /// Asks as a client of a proxy that uses TLS with it, so that Basic is accepted.
    ///
    /// - Parameter login: user and password with a colon; `nil` for none.
    func ask(_ request: String, as login: String? = "ann:sesame sesame", _ headers: [String] = [], body: String = "")
        throws -> HTTPSocket.Response
    {
        let client = try connect()
        client.send(Self.text(of: request, as: login, headers, body: body))
        return try #require(client.response(hasBody: !request.hasPrefix("HEAD ")))
    }

    static func text(
        of request: String, as login: String? = "ann:sesame sesame", _ headers: [String] = [], body: String = ""
    ) -> String {
        var lines = ["\(request) HTTP/1.1", "Host: 127.0.0.1", "Forwarded: for=192.0.2.9;proto=https"] + headers
        if let login { lines.append("Authorization: Basic \(Data(login.utf8).base64EncodedString())") }
        if !body.isEmpty { lines += ["Content-Type: application/json", "Content-Length: \(body.utf8.count)"] }
        return lines.map { $0 + "\r\n" }.joined() + "\r\n" + body
    }

    static func object(_ response: HTTPSocket.Response) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
    }
}
