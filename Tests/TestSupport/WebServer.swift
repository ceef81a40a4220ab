import Foundation
import Synchronization

/// A web server that answers requests as a test decides, with a thread per connection.
public final class WebServer: Sendable {
    /// A client's request.
    public struct Request: Sendable {
        public let method: String
        public let path: String
        /// With the request line, and without the empty line.
        public let head: String
        public let body: String
        public let arrival: ContinuousClock.Instant

        /// The value of a field; `nil` without it.
        public func header(_ name: String) -> String? {
            let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
            return line.map { $0.drop { $0 != ":" }.dropFirst().trimmingCharacters(in: .whitespaces) }
        }
    }

    /// The answer to a request.
    public struct Response: Sendable {
        public var status: Int
        public var headers: [String]
        public var body: [UInt8]
        /// Whether the connection is closed behind the response.
        public var endsConnection: Bool

        public init(_ status: Int, _ headers: [String] = [], body: [UInt8] = [], endsConnection: Bool = false) {
            (self.status, self.headers, self.body) = (status, headers, body)
            self.endsConnection = endsConnection
        }

        /// A file, or the part of it that the request asks for.
        public static func file(_ bytes: [UInt8], type: String = "", to request: Request) -> Self {
            let type = type.isEmpty ? [] : ["Content-Type: \(type)"]
            guard let match = request.header("Range")?.firstMatch(of: /bytes=(\d+)-(\d*)/), let start = Int(match.1),
                start < bytes.count
            else { return Self(200, type, body: bytes) }
            let end = min(Int(match.2).map { $0 + 1 } ?? bytes.count, bytes.count)
            let range = "Content-Range: bytes \(start)-\(end - 1)/\(bytes.count)"
            return Self(206, type + [range], body: Array(bytes[start..<end]))
        }
    }

    public let port: Int
    private let listener: Int32
    private let isStopped = Atomic(false)
    private let received = Mutex<[Request]>([])

    /// Listens at 127.0.0.1.
    ///
    /// - Parameter status: Called on the connection's thread with the body of each request; returns `nil` to send no response.
    public convenience init(_ status: @escaping @Sendable (_ body: String) -> Int?) throws {
        try self.init(answering: { request in status(request.body).map { Response($0) } })
    }

    /// Listens at 127.0.0.1.
    ///
    /// - Parameter answer: Called on the connection's thread with each request; returns `nil` to send no response.
    public init(answering answer: @escaping @Sendable (Request) -> Response?) throws {
        let descriptor = socket(AF_INET, LoopbackSocket.streamType, 0)
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
        Thread.detachNewThread { [self] in serve(answer) }
    }

    public var url: String { "http://127.0.0.1:\(port)/auth" }

    /// The bodies of all requests so far.
    public var requests: [String] { all.map(\.body) }

    /// All requests so far.
    public var all: [Request] { received.withLock { $0 } }

    /// The first line of each request so far, without the version.
    public var requestLines: [String] { received.withLock { $0.map { "\($0.method) \($0.path)" } } }

    /// Whether a request has had this text in its head.
    public func hasReceived(_ text: String) -> Bool { received.withLock { $0.contains { $0.head.contains(text) } } }

    /// Accepts no more connections; an open connection ends with its client.
    public func stop() {
        // shutdown wakes the thread. The thread closes the socket when it sees the flag, so shutdown comes first.
        _ = shutdown(listener, Int32(SHUT_RDWR))
        isStopped.store(true, ordering: .releasing)
    }

    private func serve(_ answer: @escaping @Sendable (Request) -> Response?) {
        defer { close(listener) }
        while !isStopped.load(ordering: .acquiring) {
            let descriptor = LoopbackSocket.accepted(by: listener)
            guard descriptor >= 0 else { continue }
            Thread.detachNewThread { [self] in
                handleConnection(descriptor, answer)
                close(descriptor)
            }
        }
    }

    private func handleConnection(_ descriptor: Int32, _ answer: (Request) -> Response?) {
        var pending: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            pending += buffer[..<count]
            while let request = Self.takeRequest(from: &pending) {
                received.withLock { $0.append(request) }
                guard let response = answer(request) else { continue }
                let head = ["HTTP/1.1 \(response.status) Decided", "Content-Length: \(response.body.count)"]
                let bytes =
                    Array(((head + response.headers).joined(separator: "\r\n") + "\r\n\r\n").utf8) + response.body
                guard Self.send(bytes, to: descriptor), !response.endsConnection else { return }
            }
        }
    }

    private static func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Removes and returns the first request; `nil` if it is incomplete.
    private static func takeRequest(from pending: inout [UInt8]) -> Request? {
        guard let end = pending.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: pending[..<end.lowerBound], as: UTF8.self)
        let length = head.lowercased().firstMatch(of: /content-length: *(\d+)/).flatMap { Int($0.1) } ?? 0
        guard pending.count >= end.upperBound + length else { return nil }
        defer { pending.removeSubrange(..<(end.upperBound + length)) }
        let words = head.prefix { $0 != "\r\n" }.split(separator: " ").map(String.init)
        return Request(
            method: words.first ?? "", path: words.count > 1 ? words[1] : "", head: head,
            body: String(decoding: pending[end.upperBound..<(end.upperBound + length)], as: UTF8.self), arrival: .now)
    }
}
