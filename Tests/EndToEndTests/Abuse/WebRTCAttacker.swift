import Foundation
import TLS
import TestSupport
import WebRTC

/// A client of WebRTC in one session, which it may abuse.
struct WebRTCAttacker {
    let peer: WebRTCPeer
    /// The path of the session's resource.
    let location: String
    private let target: Target

    fileprivate init(_ target: Target, _ peer: WebRTCPeer, _ answer: HTTPSocket.Response) throws {
        (self.target, self.peer, location) = (target, peer, answer.header("Location") ?? "")
        try peer.accept(answer.text)
    }

    /// A socket that sends to the server's port from an address of its own.
    func stranger() throws -> LoopbackSocket { try LoopbackSocket(port: peer.port, isDatagram: true) }

    /// Plays, or publishes.
    func establish() throws {
        try verify(peer.run { peer.isEstablished }, "the session does not begin: \(target.server.log.suffix(500))")
    }

    /// Expects that media still come to the peer.
    func expectMedia() throws {
        let count = peer.packets.count
        try verify(peer.run { peer.packets.count > count + 20 }, "no media come to the peer")
    }

    /// Expects that the session ends, and that its resource tells this reason.
    func expectEnd(because reason: String, within seconds: Double = 5) throws {
        var text = ""
        let hasEnded = try soon(within: seconds * Sanitizer.patience) {
            let response = try target.ask("GET \(location)")
            text = response.text
            return response.status != 204
        }
        try verify(hasEnded, "the session goes on")
        try verify(text.contains(reason), text)
    }
}

extension Target {
    /// Sends a request over HTTP, and waits for the response.
    func ask(
        _ request: String, _ headers: [String] = [], body: String = "", as account: Account? = nil,
        from address: String? = nil
    ) throws -> HTTPSocket.Response {
        var headers = headers + ["Host: localhost", "Content-Length: \(body.utf8.count)"]
        func answer() throws -> HTTPSocket.Response {
            let http = HTTPSocket(over: try LoopbackSocket(port: server.httpPort, from: address))
            http.send(([request + " HTTP/1.1"] + headers).joined(separator: "\r\n") + "\r\n\r\n" + body)
            guard let response = http.response() else { throw Breach(description: "no response to \(request)") }
            return response
        }
        let response = try answer()
        guard let account, response.status == 401, let challenge = response.header("WWW-Authenticate") else {
            return response
        }
        var digest = Digest(account, answering: challenge)
        digest.count = 1
        let parts = request.split(separator: " ").map(String.init)
        headers.append("Authorization: \(digest.authorization(parts[0], parts[1]))")
        return try answer()
    }

    /// Sends an offer to an address at which sessions begin.
    func post(
        _ offer: String, to path: String = "hall/whep", as account: Account = .viewer, from address: String? = nil
    ) throws -> HTTPSocket.Response {
        try ask(
            "POST /\(path)", ["Content-Type: application/sdp"], body: offer, as: setting.hasUsers ? account : nil,
            from: address)
    }

    /// Sends an offer many times, over connections of its own, because the server closes one with 503.
    ///
    /// - Returns: how often each status came.
    func post(_ offer: String, times count: Int, from address: String) throws -> [Int: Int] {
        let head = ["POST /hall/whep HTTP/1.1", "Host: localhost", "Content-Type: application/sdp"]
        func request(_ lines: [String], _ body: String) -> String {
            (head + lines + ["Content-Length: \(body.utf8.count)"]).joined(separator: "\r\n") + "\r\n\r\n" + body
        }
        var statuses: [Int: Int] = [:]
        for first in stride(from: 0, to: count, by: Self.offersAtOnce) {
            let connections = try (first..<min(count, first + Self.offersAtOnce)).map { _ in
                HTTPSocket(over: try LoopbackSocket(port: server.httpPort, from: address))
            }
            if setting.hasUsers { for connection in connections { connection.send(request([], "")) } }
            for connection in connections {
                let challenge = setting.hasUsers ? connection.response()?.header("WWW-Authenticate") : nil
                let digest = challenge.map { challenge in
                    var digest = Digest(.viewer, answering: challenge)
                    digest.count = 1
                    return "Authorization: \(digest.authorization("POST", "/hall/whep"))"
                }
                connection.send(request(digest.map { [$0] } ?? [], offer))
            }
            for connection in connections { statuses[try connection.status(), default: 0] += 1 }
        }
        return statuses
    }

    /// The client and the server work at the same time, and the descriptors suffice.
    private static let offersAtOnce = 20

    /// Calls `body` with a session, which ends afterwards.
    ///
    /// - Parameters:
    ///   - peer: makes the offer, and accepts the answer.
    ///   - path: where sessions begin.
    func withWebRTC(
        _ peer: WebRTCPeer? = nil, offer: String? = nil, at path: String = "hall/whep", as account: Account = .viewer,
        _ body: (WebRTCAttacker) throws -> Void
    ) throws {
        let peer = try peer ?? WebRTCPeer()
        let answer = try post(offer ?? peer.offer(), to: path, as: account)
        try verify(answer.status == 201, "no session: \(answer.head) \(answer.text)")
        let attacker = try WebRTCAttacker(self, peer, answer)
        defer { _ = try? ask("DELETE \(attacker.location)") }
        try body(attacker)
    }
}

extension HTTPSocket {
    /// Waits for the status of the next response, which is not parsed any further.
    fileprivate func status() throws -> Int {
        let bytes = bytes(atLeast: 12)
        guard bytes.count >= 12, let status = Int(String(decoding: bytes[9..<12], as: UTF8.self)) else {
            throw Breach(description: "no response to an offer")
        }
        return status
    }
}
