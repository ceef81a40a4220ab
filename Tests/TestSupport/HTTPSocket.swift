import Foundation

/// A minimal HTTP client: sends text and reads responses. It validates nothing.
public final class HTTPSocket {
    public struct Response: Sendable {
        public let status: Int
        public let head: String
        public let body: [UInt8]

        public var text: String { String(decoding: body, as: UTF8.self) }

        /// Returns the value of the first header with this name, ignoring case.
        public func header(_ name: String) -> String? {
            head.split(separator: "\r\n").dropFirst().first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
                .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
        }
    }

    public let socket: any ByteStream
    private var pending: [UInt8] = []
    /// Whether the server has closed the connection, as far as was read.
    public private(set) var isClosed = false

    public init(port: Int) throws {
        socket = try LoopbackSocket(port: port)
    }

    public init(over stream: any ByteStream) {
        socket = stream
    }

    public func send(_ text: String) { socket.send(Array(text.utf8)) }

    /// Sends a request and waits for its response.
    ///
    /// - Parameter headers: lines without their ends; without a `Host`, `localhost` is sent.
    public func ask(_ request: String, _ headers: String..., body: String = "") -> Response? {
        var lines = ["\(request) HTTP/1.1"] + headers
        if !headers.contains(where: { $0.lowercased().hasPrefix("host:") }) { lines.append("Host: localhost") }
        if !body.isEmpty { lines.append("Content-Length: \(body.utf8.count)") }
        send(lines.map { $0 + "\r\n" }.joined() + "\r\n" + body)
        return response(hasBody: !request.hasPrefix("HEAD "))
    }

    /// Waits for the next response.
    ///
    /// - Parameter hasBody: Whether the response has the body that its headers describe.
    public func response(within seconds: Double = 10 * Sanitizer.patience, hasBody: Bool = true) -> Response? {
        let deadline = ContinuousClock.now + .seconds(seconds)
        guard let end = receive(until: deadline, { Self.headEnd(of: $0) }) else { return nil }
        let head = String(decoding: pending[..<end], as: UTF8.self)
        pending.removeFirst(end)
        let status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        let response = Response(status: status, head: head, body: [])
        guard hasBody, status >= 200, let length = response.header("Content-Length").flatMap(Int.init) else {
            return response
        }
        guard receive(until: deadline, { $0.count >= length ? length : nil }) != nil else { return nil }
        defer { pending.removeFirst(length) }
        return Response(status: status, head: head, body: Array(pending[..<length]))
    }

    /// Returns whether the server closes the connection without further bytes.
    public func isClosedByServer(within seconds: Double = 5 * Sanitizer.patience) -> Bool {
        let deadline = ContinuousClock.now + .seconds(seconds)
        _ = receive(until: deadline) { _ in nil }
        return isClosed && pending.isEmpty
    }

    /// Takes the bytes that have been received, and waits for at least `count` of them.
    public func bytes(atLeast count: Int, within seconds: Double = 10 * Sanitizer.patience) -> [UInt8] {
        let deadline = ContinuousClock.now + .seconds(seconds)
        _ = receive(until: deadline) { $0.count >= count ? count : nil }
        defer { pending = [] }
        return pending
    }

    private func receive(until deadline: ContinuousClock.Instant, _ found: ([UInt8]) -> Int?) -> Int? {
        while true {
            if let result = found(pending) { return result }
            let left = deadline - .now
            guard !isClosed, left > .zero else { return nil }
            let seconds = Double(left.components.seconds) + Double(left.components.attoseconds) / 1e18
            guard let bytes = socket.receive(within: seconds) else { return nil }
            if bytes.isEmpty { isClosed = true }
            pending += bytes
        }
    }

    private static func headEnd(of bytes: [UInt8]) -> Int? {
        let mark: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A]
        guard bytes.count >= 4 else { return nil }
        return (0...(bytes.count - 4)).first { Array(bytes[$0..<($0 + 4)]) == mark }.map { $0 + 4 }
    }
}
