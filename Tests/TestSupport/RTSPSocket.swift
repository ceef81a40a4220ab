import Foundation

/// A minimal RTSP client: sends text and reads responses and interleaved frames. It validates nothing.
public final class RTSPSocket {
    public struct Response: Sendable {
        public let status: Int
        public let head: String
        public let body: String

        /// Returns the value of the first header with this name, ignoring case.
        public func header(_ name: String) -> String? {
            head.split(separator: "\r\n").dropFirst().first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
                .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
        }
    }

    /// One `$` frame (RFC 2326, section 10.12).
    public struct Frame: Sendable {
        public let channel: Int
        public let bytes: [UInt8]

        public var payloadType: Int { Int(bytes[1] & 0x7F) }
        /// The sequence number of an RTP packet.
        public var sequenceNumber: UInt16 { UInt16(bytes[2]) << 8 | UInt16(bytes[3]) }
        public var timestamp: UInt32 { bytes[4..<8].reduce(0) { $0 << 8 | UInt32($1) } }
        /// The types of the RTCP packets in a compound packet (RFC 3550, section 6.1).
        public var controlTypes: [Int] {
            var types: [Int] = []
            var index = 0
            while index + 4 <= bytes.count {
                types.append(Int(bytes[index + 1]))
                index += 4 + 4 * (Int(bytes[index + 2]) << 8 | Int(bytes[index + 3]))
            }
            return types
        }
    }

    public enum Failure: Error {
        case noAnswer(String)
    }

    /// The underlying stream, for sending bytes directly.
    public let socket: any ByteStream
    private var pending: [UInt8] = []
    private var sequence = 0
    /// Returns the value of `Authorization` for a request's method and URL and the server's challenge. Without it the client does
    /// not authenticate.
    public var login: ((_ method: String, _ url: String, _ challenge: String) -> String)?
    /// The server's latest challenge.
    public private(set) var challenge: String?
    public private(set) var isClosed = false
    /// Frames received before a response.
    private var frames: [Frame] = []

    public init(port: Int) throws {
        socket = try LoopbackSocket(port: port)
    }

    public init(over stream: any ByteStream) {
        socket = stream
    }

    /// Sends a request and waits for its response; repeats the request with credentials if it is challenged and `login` is set.
    public func request(
        _ method: String, _ url: String, _ headers: [String: String] = [:], body: String = ""
    ) throws -> Response {
        let first = try answer(to: method, url, headers, body)
        guard first.status == 401, login != nil, let challenge = first.header("WWW-Authenticate") else { return first }
        self.challenge = challenge
        return try answer(to: method, url, headers, body)
    }

    private func answer(
        to method: String, _ url: String, _ headers: [String: String], _ body: String
    ) throws -> Response {
        let length = body.isEmpty ? [:] : ["Content-Length": "\(body.utf8.count)"]
        send(text(of: method, url, headers.merging(length) { old, _ in old }) + body)
        guard let response = response(within: 10 * Sanitizer.patience) else {
            throw Failure.noAnswer("\(method) \(url)")
        }
        return response
    }

    /// Returns the request's text, with credentials if a challenge is known.
    public func text(of method: String, _ url: String, _ headers: [String: String] = [:]) -> String {
        sequence += 1
        var lines = ["\(method) \(url) RTSP/1.0", "CSeq: \(sequence)"] + headers.map { "\($0.key): \($0.value)" }
        if let login, let challenge, headers["Authorization"] == nil {
            lines.append("Authorization: \(login(method, url, challenge))")
        }
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }

    /// Sets up both tracks of `url`, interleaved on channels 0–3, and plays them.
    ///
    /// - Returns: The session ID and the response to PLAY.
    public func play(_ url: String, tracks: Int = 2) throws -> (session: String, answer: Response) {
        let setup = try setUp(url, tracks: tracks) { "RTP/AVP/TCP;unicast;interleaved=\(2 * $0)-\(2 * $0 + 1)" }
        return (setup.session["Session"] ?? "", try request("PLAY", setup.base, setup.session))
    }

    /// Sets up the first `tracks` tracks of `url`; `transport` returns the header for a track's index, beginning with 0.
    ///
    /// - Returns: The URL for PLAY, the header `Session`, the responses to SETUP, and the session description.
    public func setUp(
        _ url: String, tracks: Int, transport: (Int) -> String
    ) throws -> (base: String, session: [String: String], answers: [Response], description: String) {
        let description = try request("DESCRIBE", url)
        let controls = description.body.split(separator: "\r\n").compactMap {
            $0.hasPrefix("a=control:") && !$0.hasSuffix("*") ? String($0.dropFirst("a=control:".count)) : nil
        }
        let base = description.header("Content-Base") ?? url + "/"
        var session: [String: String] = [:]
        var answers: [Response] = []
        for (index, control) in controls.prefix(tracks).enumerated() {
            let target = control.hasPrefix("rtsp:") ? control : base + control
            let headers = session.merging(["Transport": transport(index)]) { old, _ in old }
            let answer = try request("SETUP", target, headers)
            if let id = answer.header("Session")?.split(separator: ";").first { session = ["Session": String(id)] }
            answers.append(answer)
        }
        return (base, session, answers, description.body)
    }

    public func send(_ text: String) { socket.send(Array(text.utf8)) }
    public func send(_ bytes: [UInt8]) { socket.send(bytes) }

    /// Returns the next response; frames before it are kept for `frame`.
    public func response(within seconds: Double) -> Response? {
        let deadline = Date(timeIntervalSinceNow: seconds)
        while true {
            while let frame = takeFrame() { frames.append(frame) }
            if let response = takeResponse() { return response }
            guard fill(until: deadline) else { return nil }
        }
    }

    /// Returns the next interleaved frame; `nil` if none came in time or the server has closed the connection.
    public func frame(within seconds: Double) -> Frame? {
        let deadline = Date(timeIntervalSinceNow: seconds)
        while true {
            if !frames.isEmpty { return frames.removeFirst() }
            if let frame = takeFrame() { return frame }
            guard fill(until: deadline) else { return nil }
        }
    }

    /// Discards input until the server closes the connection; returns false if it does not within `seconds`.
    public func closes(within seconds: Double) -> Bool {
        let deadline = Date(timeIntervalSinceNow: seconds)
        while fill(until: deadline) { pending = [] }
        return isClosed
    }

    /// Reads more bytes; returns whether there were any.
    private func fill(until deadline: Date) -> Bool {
        guard !isClosed, let bytes = socket.receive(within: deadline.timeIntervalSinceNow) else { return false }
        isClosed = bytes.isEmpty
        pending += bytes
        return !isClosed
    }

    private func takeFrame() -> Frame? {
        guard pending.count >= 4, pending[0] == UInt8(ascii: "$") else { return nil }
        let end = 4 + (Int(pending[2]) << 8 | Int(pending[3]))
        guard pending.count >= end else { return nil }
        defer { pending.removeFirst(end) }
        return Frame(channel: Int(pending[1]), bytes: Array(pending[4..<end]))
    }

    private func takeResponse() -> Response? {
        guard pending.first != UInt8(ascii: "$"), let end = endOfHead else { return nil }
        let head = String(decoding: pending[..<end], as: UTF8.self)
        let plain = Response(status: Int(head.split(separator: " ").dropFirst().first ?? "") ?? 0, head: head, body: "")
        let length = plain.header("Content-Length").flatMap { Int($0) } ?? 0
        guard pending.count >= end + 4 + length else { return nil }
        let body = String(decoding: pending[end + 4..<end + 4 + length], as: UTF8.self)
        pending.removeFirst(end + 4 + length)
        return Response(status: plain.status, head: head, body: body)
    }

    private var endOfHead: Int? {
        let blank: [UInt8] = [13, 10, 13, 10]
        return pending.indices.dropLast(3).first { pending[$0..<$0 + 4].elementsEqual(blank) }
    }
}
