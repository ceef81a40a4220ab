import Foundation
import Synchronization

/// A TCP server that answers RTSP requests as a test's script decides, one connection after the other.
public final class ScriptedServer: Sendable {
    /// A client's request.
    public struct Request: Sendable {
        /// The request's text, with the empty line.
        public let head: String
        public let body: String
        public var method: String { String(head.prefix { $0 != " " }) }

        /// Returns a response with the request's sequence number.
        public func answer(_ headers: [String] = [], status: String = "200 OK", body: String = "") -> [UInt8] {
            let number = head.split(separator: "\r\n").first { $0.hasPrefix("CSeq:") } ?? "CSeq: 0"
            let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
            let lines = ["RTSP/1.0 \(status)", String(number)] + headers + length
            return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
        }
    }

    /// A connection of a client. Only the server's thread may use it.
    public struct Peer {
        fileprivate let descriptor: Int32

        /// Sends all bytes; returns false if the client has closed.
        public func send(_ bytes: [UInt8]) -> Bool {
            var sent = 0
            while sent < bytes.count {
                let count = bytes.withUnsafeBytes {
                    Foundation.send(
                        descriptor, $0.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }
    }

    public let port: Int
    private let listener: Int32
    private let isStopped = Atomic(false)

    /// - Parameter script: Called on the server's thread with each request; returns false to close the connection.
    public init(_ script: @escaping @Sendable (Request, Peer) -> Bool) throws {
        let descriptor = socket(AF_INET, LoopbackSocket.streamType, 0)
        // Connections inherit it. A script that reads nothing then holds up its client after little data.
        var receiveBuffer: Int32 = 16_384
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listens = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard listens else {
            close(descriptor)
            throw LoopbackSocket.Failure(what: "listen", errno: errno)
        }
        listener = descriptor
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [self] in serve(script) }
    }

    public var url: String { "rtsp://127.0.0.1:\(port)/cam" }

    /// Accepts no more connections; an open connection ends with its client.
    public func stop() {
        // shutdown wakes the thread. The thread closes the socket when it sees the flag, so shutdown comes first.
        _ = shutdown(listener, Int32(SHUT_RDWR))
        isStopped.store(true, ordering: .releasing)
    }

    private func serve(_ script: (Request, Peer) -> Bool) {
        defer { close(listener) }
        while !isStopped.load(ordering: .acquiring) {
            let descriptor = LoopbackSocket.accepted(by: listener)
            guard descriptor >= 0 else { continue }
            handleConnection(Peer(descriptor: descriptor), script)
            close(descriptor)
        }
    }

    private func handleConnection(_ peer: Peer, _ script: (Request, Peer) -> Bool) {
        var pending: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = recv(peer.descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            pending += buffer[..<count]
            while true {
                // Media and reports of the client are ignored.
                if pending.first == 0x24 {
                    guard pending.count >= 4, pending.count >= 4 + (Int(pending[2]) << 8 | Int(pending[3])) else {
                        break
                    }
                    pending.removeFirst(4 + (Int(pending[2]) << 8 | Int(pending[3])))
                    continue
                }
                guard let end = pending.firstRange(of: Array("\r\n\r\n".utf8)) else { break }
                let head = String(decoding: pending[..<end.upperBound], as: UTF8.self)
                let length =
                    head.split(separator: "\r\n").first { $0.hasPrefix("Content-Length:") }?
                    .split(separator: " ").last.flatMap { Int($0) } ?? 0
                guard pending.count >= end.upperBound + length else { break }
                let body = pending[end.upperBound..<end.upperBound + length]
                let request = Request(head: head, body: String(decoding: body, as: UTF8.self))
                pending.removeSubrange(..<(end.upperBound + length))
                guard script(request, peer) else { return }
            }
        }
    }
}
