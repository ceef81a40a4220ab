import Foundation
import NIOCore
import NIOHPACK

/// A blocking client of HTTP/2 (RFC 9113) that sends whatever frames a test wants, also forbidden ones.
public final class HTTP2Client {
    public enum Kind: UInt8, Sendable {
        case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    public struct Frame {
        public let kind: UInt8
        public let flags: UInt8
        public let stream: UInt32
        public let payload: [UInt8]

        public func isA(_ kind: Kind) -> Bool { self.kind == kind.rawValue }
        public var endsStream: Bool { flags & 1 != 0 && (isA(.data) || isA(.headers)) }
        /// The error code of RST_STREAM and GOAWAY.
        public var code: UInt32? {
            isA(.reset) ? number(at: 0) : isA(.goAway) ? number(at: 4) : nil
        }

        private func number(at place: Int) -> UInt32 {
            payload.dropFirst(place).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
        }
    }

    public struct Response {
        public var headers: [(name: String, value: String)] = []
        /// The headers as they were sent.
        public var block: [UInt8] = []
        public var body: [UInt8] = []
        public var hasEnded = false
        /// The code with which the server has reset the stream.
        public var reset: UInt32?

        public var status: Int? { header(":status").flatMap { Int($0) } }
        public var text: String { String(decoding: body, as: UTF8.self) }
        public func header(_ name: String) -> String? { headers.first { $0.name == name.lowercased() }?.value }
    }

    public let stream: any ByteStream
    /// Whether the client extends the windows for what it has received.
    public var extendsWindows = true
    /// The responses so far, by stream.
    public private(set) var responses: [UInt32: Response] = [:]
    /// The code of the server's GOAWAY.
    public private(set) var goodbye: UInt32?
    public private(set) var isClosed = false
    /// Frames other than those of responses.
    public private(set) var others: [Frame] = []
    private var pending: [UInt8] = []
    private var decoder: HPACKDecoder
    private var lastStream: UInt32 = 0

    /// Sends the preface with these settings.
    public init(over stream: any ByteStream, settings: [(UInt16, UInt32)] = []) {
        self.stream = stream
        let tableSize = settings.last { $0.0 == 1 }.map { Int($0.1) } ?? HPACKDecoder.maxDynamicTableSize
        decoder = HPACKDecoder(allocator: ByteBufferAllocator(), maxDynamicTableSize: tableSize)
        stream.send(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + Self.settings(settings))
    }

    /// Connects to this host by TLS.
    public convenience init(port: Int, settings: [(UInt16, UInt32)] = [], bufferByteCount: Int32? = nil) throws {
        let socket = try LoopbackSocket(port: port, bufferByteCount: bufferByteCount)
        self.init(over: try TLSStream(over: socket, offering: ["h2"]), settings: settings)
    }

    // MARK: Frames

    public static func frame(_ kind: UInt8, flags: UInt8 = 0, on stream: UInt32 = 0, _ payload: [UInt8] = []) -> [UInt8]
    {
        Array(bytes(UInt32(payload.count)).dropFirst()) + [kind, flags] + bytes(stream) + payload
    }

    public static func frame(_ kind: Kind, flags: UInt8 = 0, on stream: UInt32 = 0, _ payload: [UInt8] = []) -> [UInt8]
    {
        frame(kind.rawValue, flags: flags, on: stream, payload)
    }

    public static func settings(_ settings: [(UInt16, UInt32)]) -> [UInt8] {
        frame(.settings, settings.flatMap { [UInt8($0.0 >> 8), UInt8(truncatingIfNeeded: $0.0)] + bytes($0.1) })
    }

    public static func bytes(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }

    /// A list of headers, each literal and not indexed (RFC 7541, section 6.2.2).
    public static func block(_ headers: [(String, String)]) -> [UInt8] {
        headers.flatMap { name, value in [0] + text(name) + text(value) }
    }

    private static func text(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        if bytes.count < 127 { return [UInt8(bytes.count)] + bytes }
        var (rest, length) = (bytes.count - 127, [UInt8(127)])
        while rest >= 128 {
            length.append(UInt8(rest % 128 + 128))
            rest /= 128
        }
        return length + [UInt8(rest)] + bytes
    }

    public func send(_ bytes: [UInt8]) { stream.send(bytes) }

    /// The headers of a request.
    public static func request(
        _ path: String, method: String = "GET", authority: String? = "localhost", _ more: [(String, String)] = []
    ) -> [(String, String)] {
        [(":method", method), (":scheme", "https"), (":path", path)] + (authority.map { [(":authority", $0)] } ?? [])
            + more
    }

    /// The number of the next stream.
    public func nextStream() -> UInt32 {
        lastStream = lastStream == 0 ? 1 : lastStream + 2
        return lastStream
    }

    /// Sends a request.
    ///
    /// - Parameter body: `nil` for none; the request does not end if `isComplete` is false.
    /// - Returns: its stream.
    @discardableResult
    public func begin(_ headers: [(String, String)], body: [UInt8]? = nil, isComplete: Bool = true) -> UInt32 {
        let stream = nextStream()
        let ends: UInt8 = isComplete ? 1 : 0
        var rest = Self.block(headers)[...]
        var bytes: [UInt8] = []
        repeat {
            // A frame has at most 16 384 bytes.
            let part = Array(rest.prefix(16_384))
            rest = rest.dropFirst(part.count)
            let flags: UInt8 = (rest.isEmpty ? 4 : 0) | (bytes.isEmpty && body == nil ? ends : 0)
            bytes += Self.frame(bytes.isEmpty ? .headers : .continuation, flags: flags, on: stream, part)
        } while !rest.isEmpty
        if let body { bytes += Self.frame(.data, flags: ends, on: stream, body) }
        send(bytes)
        return stream
    }

    /// Sends a request and waits for its response.
    public func ask(
        _ path: String, method: String = "GET", _ more: [(String, String)] = [], body: [UInt8]? = nil
    ) -> Response? {
        response(on: begin(Self.request(path, method: method, more), body: body))
    }

    /// Waits for the end of a response or of its stream.
    public func response(on stream: UInt32, within seconds: Double = 10 * Sanitizer.patience) -> Response? {
        wait(within: seconds) { client in
            let response = client.responses[stream]
            return response?.hasEnded == true || response?.reset != nil ? response : nil
        }
    }

    /// Waits until the closure returns something.
    public func wait<Result>(within seconds: Double = 10 * Sanitizer.patience, for found: (HTTP2Client) -> Result?)
        -> Result?
    {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while true {
            if let result = found(self) { return result }
            let left = (deadline - .now) / .seconds(1)
            guard !isClosed, left > 0, receive(within: left) else { return nil }
        }
    }

    /// Whether the server closes the connection.
    public func isClosedByServer(within seconds: Double = 10 * Sanitizer.patience) -> Bool {
        wait(within: seconds) { $0.isClosed ? true : nil } ?? false
    }

    /// Takes the body that has come on a stream so far.
    public func takeBody(of stream: UInt32) -> [UInt8] {
        defer { responses[stream]?.body = [] }
        return responses[stream]?.body ?? []
    }

    /// Receives what has come; returns false if nothing came in time.
    @discardableResult
    public func receive(within seconds: Double) -> Bool {
        guard let bytes = stream.receive(within: seconds) else { return false }
        if bytes.isEmpty { isClosed = true }
        pending += bytes
        var place = 0
        while pending.count - place >= 9 {
            let head = pending[place..<place + 9]
            let length = head.prefix(3).reduce(0) { $0 << 8 | Int($1) }
            guard pending.count - place >= 9 + length else { break }
            let stream = head.suffix(4).reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
            received(
                Frame(
                    kind: head[place + 3], flags: head[place + 4], stream: stream,
                    payload: Array(pending[place + 9..<place + 9 + length])))
            place += 9 + length
        }
        pending.removeFirst(place)
        return true
    }

    private func received(_ frame: Frame) {
        switch Kind(rawValue: frame.kind) {
        case .headers:
            var buffer = ByteBuffer(bytes: frame.payload)
            let headers = (try? decoder.decodeHeaders(from: &buffer)) ?? [:]
            responses[frame.stream, default: Response()].block = frame.payload
            responses[frame.stream, default: Response()].headers += headers.map { ($0.name, $0.value) }
        case .data:
            responses[frame.stream, default: Response()].body += frame.payload
            if extendsWindows, !frame.payload.isEmpty {
                let increment = Self.bytes(UInt32(frame.payload.count))
                send(Self.frame(.windowUpdate, increment) + Self.frame(.windowUpdate, on: frame.stream, increment))
            }
        case .reset: responses[frame.stream, default: Response()].reset = frame.code
        case .settings where frame.flags & 1 == 0: send(Self.frame(.settings, flags: 1))
        case .goAway: goodbye = frame.code
        default: others.append(frame)
        }
        if frame.endsStream { responses[frame.stream]?.hasEnded = true }
    }
}
