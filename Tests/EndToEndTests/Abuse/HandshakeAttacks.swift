import Foundation
import TestSupport

/// Invalid, old, slow or endless TLS handshakes (RFC 8446; RFC 9325).
extension Attack {
    static let handshakes: [Attack] = [
        Attack(
            "no TLS at the TLS port: RTSP, an SSL 2 hello", in: "TLS/TLSConnection.swift",
            guard: "receivedByteCount == 0, first != Self.handshakeType",
            effect: "the connection is closed without a response", scope: .tls
        ) { target in
            // TLS 1.2 with two cipher suites in an SSL 2 record, which OpenSSL would accept.
            let old =
                [0x80, 47, 1, 3, 3, 0, 6, 0, 0, 0, 32, 0, 0xC0, 0x2F, 0, 0xC0, 0x2B] + [UInt8](repeating: 5, count: 32)
            for bytes in [Array("OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n".utf8), old] {
                let socket = try LoopbackSocket(port: target.port)
                socket.send(bytes)
                try verify(socket.receive(within: 3) == [], "the server responded")
            }
        },
        Attack(
            "a handshake that stops", in: "TLS/TLSConnection.swift", guard: "phase = .failed(.handshakeTooSlow",
            effect: "the connection is closed after 1 s", scope: .tls, length: .patient
        ) { target in
            let socket = try LoopbackSocket(port: target.port)
            socket.send([22, 3, 1])
            try verify(socket.receive(within: 3) == [], "the server still waits")
        },
        Attack(
            "an endless handshake", in: "TLS/TLSConnection.swift",
            guard: "guard receivedByteCount > limits.byteCount, failure == nil",
            effect: "the connection is closed after 16 KB", scope: .tls
        ) { target in
            let socket = try LoopbackSocket(port: target.port)
            let start = ContinuousClock.now
            // 20 000 bytes of a ClientHello of 100 000 bytes, which OpenSSL would accept.
            let greeting: [UInt8] = [1, 1, 0x86, 0xA0, 3, 3]
            let record = [22, 3, 1, 0x27, 0x10] + greeting + [UInt8](repeating: 0, count: 10_000 - greeting.count)
            socket.send(record + [22, 3, 1, 0x27, 0x10] + [UInt8](repeating: 0, count: 10_000))
            try verify(socket.receive(within: 3) == [], "the server still waits")
            let time = ContinuousClock.now - start
            try verify(time < .milliseconds(700), "the server waited for \(time)")
        },
        Attack(
            "hundreds of handshakes that stop", in: "RTSPServer/Connections/ConnectionCounts.swift",
            guard: "guard unfinishedHandshakes < limits.unfinishedHandshakes else",
            effect: "\(Setting.handshakeLimit) are kept, others are closed at once", scope: .tls
        ) { target in
            let silent = try (0..<(Setting.handshakeLimit + 30)).map { _ in try LoopbackSocket(port: target.port) }
            let isLogged = soon { target.server.log.contains("too many TLS handshakes are unfinished") }
            try verify(isLogged, "all handshakes are kept")
            // After 1 s they are closed, and new connections are accepted.
            let isAccepted = soon(within: 5) { (try? target.connect()) != nil }
            try verify(isAccepted, "no new connection is accepted")
            withExtendedLifetime(silent) {}
        },
        Attack(
            "an old TLS version", in: "COpenSSL/TLSContext.c", guard: "restrict_context(ssl, TLS1_2_VERSION, 0)",
            effect: "the alert protocol_version, then the connection is closed", scope: .tls
        ) { target in
            let socket = try LoopbackSocket(port: target.port)
            socket.send(greeting(version: [3, 2]))
            let alert = socket.receive(within: 3) ?? []
            // A fatal alert, protocol_version (RFC 8446, section 6).
            try verify(alert.first == 21 && alert.suffix(2) == [2, 70], "\(alert)")
            try verify(socket.receive(within: 3) == [], "the connection stays open")
        },
        Attack(
            "a forged record", in: "TLS/TLSConnection.swift", guard: "default: fail()",
            effect: "no effect; the connection is closed",
            scope: .tls
        ) { target in
            let socket = try LoopbackSocket(port: target.port)
            let stream = try TLSStream(over: socket)
            stream.send(Array("OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n".utf8))
            try verify(stream.receive(within: 3)?.isEmpty == false, "no answer")
            socket.send([23, 3, 3, 0, 32] + [UInt8](repeating: 7, count: 32))
            let isClosed = soon(within: 2) { socket.receive(within: 0.5) == [] }
            try verify(isClosed, "the connection stays open")
        },
        Attack(
            "renegotiation", in: "COpenSSL/TLSContext.c", guard: "SSL_OP_NO_RENEGOTIATION",
            effect: "refused, then the connection is closed",
            scope: .tls
        ) { target in
            let outcome = try OpenSSLClient.renegotiation("-tls1_2", "-connect", "127.0.0.1:\(target.port)")
            try verify(outcome.contains(OpenSSLClient.refusal), outcome)
        },
    ]

    /// Returns a ClientHello in one record with `version` as the highest version.
    private static func greeting(version: [UInt8]) -> [UInt8] {
        // TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA, which old versions have; no compression; the curve P-256, uncompressed.
        let suites: [UInt8] = [0, 4, 0xC0, 0x09, 0xC0, 0x13, 1, 0]
        let extensions: [UInt8] = [0, 10, 0, 4, 0, 2, 0, 23, 0, 11, 0, 2, 1, 0]
        let body =
            version + [UInt8](repeating: 5, count: 32) + [0] + suites + [0, UInt8(extensions.count)] + extensions
        return [22, 3, 1, 0, UInt8(body.count + 4), 1, 0, 0, UInt8(body.count)] + body
    }
}
