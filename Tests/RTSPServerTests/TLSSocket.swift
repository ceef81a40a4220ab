import Media
import RTSP
import Reactor
import TLS
import TestSupport
import Wire

/// A minimal RTSP client over TLS, which accepts every certificate.
final class TLSSocket {
    struct Failure: Error {
        let what: String
    }

    let tls: TLSConnection
    private let socket: LoopbackSocket
    private var parser = Parser()
    private var number = 0
    /// Whether the server has closed.
    private(set) var isClosed = false

    /// Connects and completes the handshake.
    init(port: Int) throws {
        socket = try LoopbackSocket(port: port)
        tls = try TLSConnection(to: TLSClient(), at: .now())
        flush()
        while tls.phase == .handshake, receive(within: 5) {}
        guard tls.phase == .established else { throw Failure(what: "\(tls.phase)") }
    }

    /// Sends a request and waits for its answer. Interleaved data before the answer is dropped.
    func request(
        _ method: RTSP.Method, _ url: String, _ headers: Headers = [:], body: [UInt8] = []
    ) throws -> Response {
        number += 1
        var request = Request(method, url, headers: headers, body: body)
        request.headers[.cSeq] = String(number)
        tls.write(Writer.bytes(of: request))
        flush()
        while let element = try element(within: 5) {
            if case .response(let response) = element { return response }
        }
        throw Failure(what: "no answer to \(method.rawValue)")
    }

    /// Sends bytes, such as an interleaved frame.
    func send(_ bytes: [UInt8]) {
        tls.write(bytes)
        flush()
    }

    /// The next element from the server; `nil` if nothing came or the connection is closed.
    func element(within seconds: Double) throws -> Parser.Element? {
        while true {
            if let element = try parser.next() { return element }
            guard receive(within: seconds) else { return nil }
        }
    }

    /// Reads available bytes; false if there were none.
    private func receive(within seconds: Double) -> Bool {
        guard let bytes = socket.receive(within: seconds) else { return false }
        isClosed = bytes.isEmpty
        bytes.withUnsafeBytes { tls.received($0) { parser.append($0.bytes) } }
        flush()
        return !isClosed
    }

    private func flush() {
        let bytes = Array(tls.output)
        tls.sent(bytes.count)
        socket.send(bytes)
    }
}
