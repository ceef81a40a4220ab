import Foundation
import Synchronization

/// A web server that answers POST requests as a test decides, with a thread per connection.
public final class WebServer: Sendable {
    public let port: Int
    private let listener: Int32
    private let isStopped = Atomic(false)
    private let bodies = Mutex<[String]>([])

    /// Listens at 127.0.0.1.
    ///
    /// - Parameter status: Called on the connection's thread with the body of each request; returns `nil` to send no response.
    public init(_ status: @escaping @Sendable (_ body: String) -> Int?) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listens = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard listens else {
            close(descriptor)
            throw LoopbackSocket.Failure(what: "listen", errno: errno)
        }
        listener = descriptor
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [self] in serve(status) }
    }

    public var url: String { "http://127.0.0.1:\(port)/auth" }

    /// The bodies of all requests so far.
    public var requests: [String] { bodies.withLock { $0 } }

    /// Accepts no more connections; an open connection ends with its client.
    public func stop() {
        isStopped.store(true, ordering: .releasing)
        // shutdown wakes the thread, which closes the socket.
        _ = shutdown(listener, Int32(SHUT_RDWR))
    }

    private func serve(_ status: @escaping @Sendable (String) -> Int?) {
        defer { close(listener) }
        while !isStopped.load(ordering: .acquiring) {
            let descriptor = accept(listener, nil, nil)
            guard descriptor >= 0 else { continue }
            Thread.detachNewThread { [self] in
                handleConnection(descriptor, status)
                close(descriptor)
            }
        }
    }

    private func handleConnection(_ descriptor: Int32, _ status: (String) -> Int?) {
        var pending: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            pending += buffer[..<count]
            while let body = Self.takeBody(from: &pending) {
                bodies.withLock { $0.append(body) }
                guard let status = status(body) else { continue }
                let answer = Array("HTTP/1.1 \(status) Decided\r\nContent-Length: 0\r\n\r\n".utf8)
                guard send(descriptor, answer, answer.count, Int32(MSG_NOSIGNAL)) == answer.count else { return }
            }
        }
    }

    /// Removes and returns the body of the first request; `nil` if it is incomplete.
    private static func takeBody(from bytes: inout [UInt8]) -> String? {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).lowercased()
        let length = head.firstMatch(of: /content-length: *(\d+)/).flatMap { Int($0.1) } ?? 0
        guard bytes.count >= end.upperBound + length else { return nil }
        defer { bytes.removeSubrange(..<(end.upperBound + length)) }
        return String(decoding: bytes[end.upperBound..<(end.upperBound + length)], as: UTF8.self)
    }
}
