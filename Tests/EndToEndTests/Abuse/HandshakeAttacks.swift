import Foundation
import TestSupport

/// TLS that is none, old, slow or endless (RFC 8446; RFC 9325).
extension Attack {
    static let handshakes: [Attack] = [
        Attack(
            "what is no TLS at its port: RTSP, a greeting of SSL 2", "TLS/TLSConnection.swift",
            "receivedByteCount == 0, first != Self.handshakeType", "the end, without a word", .tls
        ) { target in
            // TLS 1.2 with two suites, in a record of SSL 2, as OpenSSL would take it.
            let old =
                [0x80, 47, 1, 3, 3, 0, 6, 0, 0, 0, 32, 0, 0xC0, 0x2F, 0, 0xC0, 0x2B] + [UInt8](repeating: 5, count: 32)
            for bytes in [Array("OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n".utf8), old] {
                let socket = try LoopbackSocket(port: target.port)
                socket.send(bytes)
                try hold(socket.receive(within: 3) == [], "it was answered")
            }
        },
        Attack(
            "a handshake that does not go on", "TLS/TLSConnection.swift", "phase = .failed(.handshakeTooSlow",
            "the end after 1 s", .tls, .patient
        ) { target in
            let socket = try LoopbackSocket(port: target.port)
            socket.send([22, 3, 1])
            try hold(socket.receive(within: 3) == [], "it is waited for")
        },
        Attack(
            "a handshake that does not end", "TLS/TLSConnection.swift",
            "guard receivedByteCount > limits.byteCount, failure == nil", "the end after 16 KB", .tls
        ) { target in
            let socket = try LoopbackSocket(port: target.port)
            let start = ContinuousClock.now
            // A ClientHello of 100 000 bytes, as OpenSSL would take it, of which 20 000 come.
            let greeting: [UInt8] = [1, 1, 0x86, 0xA0, 3, 3]
            let record = [22, 3, 1, 0x27, 0x10] + greeting + [UInt8](repeating: 0, count: 10_000 - greeting.count)
            socket.send(record + [22, 3, 1, 0x27, 0x10] + [UInt8](repeating: 0, count: 10_000))
            try hold(socket.receive(within: 3) == [], "it is waited for")
            let time = ContinuousClock.now - start
            try hold(time < .milliseconds(700), "it was waited for: \(time)")
        },
        Attack(
            "handshakes that do not go on, by the hundred", "RTSPServer/ConnectionCounts.swift",
            "guard unfinishedHandshakes < limits.unfinishedHandshakes else",
            "\(Setting.handshakeLimit) are waited for, others are turned away", .tls
        ) { target in
            let silent = try (0..<(Setting.handshakeLimit + 30)).map { _ in try LoopbackSocket(port: target.port) }
            let isTold = soon { target.server.log.contains("too many TLS handshakes are unfinished") }
            try hold(isTold, "all are waited for")
            // Their time is over after 1 s, and there is room again.
            let isRoom = soon(within: 5) { (try? target.connect()) != nil }
            try hold(isRoom, "there is room for none")
            withExtendedLifetime(silent) {}
        },
        Attack(
            "an old version", "COpenSSL/TLSContext.c", "restrict_context(ssl, TLS1_2_VERSION, 0)",
            "the alert protocol_version, and the end", .tls
        ) { target in
            let socket = try LoopbackSocket(port: target.port)
            socket.send(greeting(version: [3, 2]))
            let alert = socket.receive(within: 3) ?? []
            // Fatal, protocol_version (RFC 8446, section 6).
            try hold(alert.first == 21 && alert.suffix(2) == [2, 70], "\(alert)")
            try hold(socket.receive(within: 3) == [], "it goes on")
        },
        Attack(
            "a record that nobody sealed", "TLS/TLSConnection.swift", "default: fail()",
            "the end, and nothing of it is done",
            .tls
        ) { target in
            let socket = try LoopbackSocket(port: target.port)
            let stream = try TLSStream(over: socket)
            stream.send(Array("OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n".utf8))
            try hold(stream.receive(within: 3)?.isEmpty == false, "no answer")
            socket.send([23, 3, 3, 0, 32] + [UInt8](repeating: 7, count: 32))
            let isClosed = soon(within: 2) { socket.receive(within: 0.5) == [] }
            try hold(isClosed, "it goes on")
        },
        Attack(
            "handshakes again on one connection", "COpenSSL/TLSContext.c", "SSL_OP_NO_RENEGOTIATION",
            "refused, and the end",
            .tls
        ) { target in
            let outcome = try renegotiation(at: target.port)
            try hold(outcome.contains("no renegotiation"), outcome)
        },
    ]

    /// A ClientHello of that version at most, in one record.
    private static func greeting(version: [UInt8]) -> [UInt8] {
        // TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA, which those versions had; no compression; the curve P-256, uncompressed.
        let suites: [UInt8] = [0, 4, 0xC0, 0x09, 0xC0, 0x13, 1, 0]
        let extensions: [UInt8] = [0, 10, 0, 4, 0, 2, 0, 23, 0, 11, 0, 2, 1, 0]
        let body =
            version + [UInt8](repeating: 5, count: 32) + [0] + suites + [0, UInt8(extensions.count)] + extensions
        return [22, 3, 1, 0, UInt8(body.count + 4), 1, 0, 0, UInt8(body.count)] + body
    }

    /// What OpenSSL's client says of a renegotiation that it asks for.
    private static func renegotiation(at port: Int) throws -> String {
        let (process, input, output) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl", "s_client", "-tls1_2", "-connect", "127.0.0.1:\(port)"]
        (process.standardInput, process.standardOutput, process.standardError) = (input, FileHandle.nullDevice, output)
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data("R\n".utf8))
        let ends = Thread {
            pause(5); if process.isRunning { process.terminate() }
        }
        ends.start()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text
    }
}
