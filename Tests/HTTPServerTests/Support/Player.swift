import HLS
import TestSupport
import Testing

@testable import HTTPServer

/// A player of HLS, which has got the list of qualities.
struct Player {
    let client: HTTPSocket
    /// Another connection.
    let second: HTTPSocket
    let qualities: String
    /// The path of its playlists, without their names.
    let folder: String
    private let headers: [String]

    /// - Parameter headers: lines of all its requests.
    init(_ server: TestServer, _ path: String, _ query: String = "", _ headers: String...) throws {
        (client, second) = (try server.connect(), try server.connect())
        self.headers = headers
        client.send(Self.request("\(path)/index.m3u8\(query)", headers))
        qualities = try #require(client.response()).text
        let uri = try #require(qualities.split(separator: "\n").last { !$0.hasPrefix("#") }, "\(qualities)")
        folder = "\(path)/\(uri.prefix { $0 != "/" })"
    }

    private static func request(_ target: String, _ headers: [String]) -> String {
        (["GET \(target) HTTP/1.1", "Host: localhost"] + headers).map { $0 + "\r\n" }.joined() + "\r\n"
    }

    /// Sends a request without waiting for its response.
    func send(_ name: String, on client: HTTPSocket? = nil, _ more: String...) {
        (client ?? self.client).send(Self.request("\(folder)/\(name)", headers + more))
    }

    func get(_ name: String, _ more: String...) -> HTTPSocket.Response? {
        client.send(Self.request("\(folder)/\(name)", headers + more))
        return client.response()
    }

    /// The names of the qualities' playlists.
    var playlists: [Substring] { qualities.split(separator: "\n").filter { !$0.hasPrefix("#") } }

    func playlist(_ index: Int = 0) -> String? {
        playlists[index].split(separator: "/").last.flatMap { get(String($0)) }?.text
    }

    /// The names of the segments of the first quality.
    var segments: [String] {
        (playlist() ?? "").split(separator: "\n").filter { $0.hasSuffix(".mp4") }.map(String.init)
    }

    /// The part that the playlist hints at.
    var hint: (name: String, segment: Int64, part: Int)? {
        let line = (playlist() ?? "").split(separator: "\n").first { $0.hasPrefix("#EXT-X-PRELOAD-HINT") }
        guard let name = line?.split(separator: "\"")[1], case .part(_, let position) = ResourceName(String(name))
        else {
            return nil
        }
        return (String(name), position.segment, position.part)
    }
}
