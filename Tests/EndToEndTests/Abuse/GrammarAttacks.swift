import TestSupport

/// What is no RTSP, or too much of it (RFC 2326, section 4): judged before anybody is asked who they are.
extension Attack {
    static let grammar: [Attack] = [
        malformed(
            "a head that never ends", "RTSP/Messages/MessageHead.swift", "limits.headByteCount - byteCount", 413,
            "OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nX: " + String(repeating: "a", count: 20_000)),
        malformed(
            "a first line that never ends", "RTSP/Messages/MessageHead.swift", "limits.urlByteCount + 64", 414,
            "OPTIONS " + String(repeating: "a", count: 5_000)),
        malformed(
            "a URL a little longer than the limit", "RTSP/Messages/MessageHead.swift",
            "words[1].utf8.count <= limits.urlByteCount", 414,
            "OPTIONS rtsp://h/\(String(repeating: "a", count: 2_045)) RTSP/1.0\r\nCSeq: 1\r\n\r\n"),
        malformed(
            "a hundred headers", "RTSP/Messages/MessageHead.swift", "lineCount <= limits.headerCount", 413,
            "OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n" + String(repeating: "X: 1\r\n", count: 100) + "\r\n"),
        malformed(
            "a body announced above the limit", "RTSP/Messages/MessageHead.swift", "length <= limit", 413,
            "OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nContent-Length: 70000\r\n\r\n"),
        malformed(
            "a length that no integer holds", "RTSP/Messages/Grammar.swift", "(1...maximumDigits).contains(utf8.count)",
            413,
            "OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nContent-Length: 99999999999999999999\r\n\r\n"),
        malformed(
            "two lengths, for a request inside a body", "RTSP/Messages/MessageHead.swift", "lengths.count == 1", 400,
            "OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nContent-Length: 0\r\nContent-Length: 44\r\n\r\n"),
        malformed(
            "a negative length", "RTSP/Messages/MessageHead.swift", #"text.utf8.allSatisfy(\.isDigit)"#, 400,
            "OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nContent-Length: -5\r\n\r\n"),
        malformed(
            "a zero byte in a header", "RTSP/Messages/ParserInput.swift", "byte.isForbiddenControl, byte != 0x0D", 400,
            "OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nX: a\u{0}b\r\n\r\n"),
        malformed(
            "a header hidden behind a bare CR", "RTSP/Messages/ParserInput.swift", "if followsReturn {", 400,
            "OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nX: a\rSession: 1\r\n\r\n"),
        malformed(
            "what is no text", "RTSP/Messages/Parser.swift", "guard first.isLetter else", 400, "99999999"),
        malformed(
            "a method that is no token", "RTSP/Messages/MessageHead.swift", "words[0].isToken", 400,
            "OPT(IONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n"),
        malformed(
            "a URL in no encoding", "RTSP/Messages/MessageHead.swift", "String(validating: line, as: UTF8.self) != nil",
            400,
            Array("OPTIONS rtsp://h/".utf8) + [0xFF, 0xFE] + Array(" RTSP/1.0\r\nCSeq: 1\r\n\r\n".utf8)),
        malformed(
            "a header without a colon", "RTSP/Messages/MessageHead.swift", #"text.halves(around: ":"), name.isToken"#,
            400,
            "OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nno colon\r\n\r\n"),
        malformed(
            "a folded line with nothing to fold to", "RTSP/Messages/MessageHead.swift",
            "guard headers.fold(text.trimmed) else",
            400, "OPTIONS * RTSP/1.0\r\n folded\r\nCSeq: 1\r\n\r\n"),
        Attack(
            "HTTP", "RTSP/Messages/MessageHead.swift", "if isHTTP(words) { throw", "501 in HTTP, and the end"
        ) { target in
            let socket = try target.connect()
            socket.send("POST /cam HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n")
            let answer = try socket.expect(501)
            try hold(answer.head.hasPrefix("HTTP/1.0"), answer.head)
            try socket.expectEnd()
        },
        Attack(
            "a request inside a body", "RTSP/Messages/Parser.swift", "guard let body = input.take(byteCount)",
            "one answer"
        ) { target in
            let (socket, hidden) = (try target.connect(), "OPTIONS * RTSP/1.0\r\nCSeq: 66\r\n\r\n")
            socket.send("OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nContent-Length: \(hidden.utf8.count)\r\n\r\n\(hidden)")
            try socket.expect(200)
            socket.send("OPTIONS * RTSP/1.0\r\nCSeq: 2\r\n\r\n")
            try hold(try socket.expect(200).header("CSeq") == "2", "the body was answered")
        },
        Attack(
            "10 000 empty lines", "RTSP/Messages/Parser.swift", "guard byte == 0x0D || byte == 0x0A else",
            "what follows is answered"
        ) { target in
            let socket = try target.connect()
            socket.send(String(repeating: "\r\n", count: 10_000))
            try socket.request("OPTIONS", "*").expect(200)
        },
        Attack(
            "answers to what was not asked", "RTSP/Server/ServerConnection.swift", "case .response:",
            "what follows is answered"
        ) { target in
            let socket = try target.connect()
            let answer = "RTSP/1.0 200 OK\r\nCSeq: 1\r\nSession: 1\r\nContent-Length: 2\r\n\r\nab"
            socket.send(String(repeating: answer, count: 50))
            try socket.request("OPTIONS", "*").expect(200)
        },
        refusedUnread(
            "two sequence numbers", "RTSP/Headers/CSeq.swift", "values.count == 1", 400, reflects: false,
            "OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nCSeq: 2\r\n\r\n"),
        refusedUnread(
            "a sequence number above the RFC's", "RTSP/Headers/CSeq.swift", "number <= 0x7FFF_FFFF", 400,
            reflects: false, "OPTIONS * RTSP/1.0\r\nCSeq: 4294967295\r\n\r\n"),
        refusedUnread(
            "another version", "RTSP/Server/ServerConnection+Requests.swift", "request.version == .one", 505,
            reflects: true,
            "OPTIONS * RTSP/9.9\r\nCSeq: 1\r\n\r\n"),
    ]

    /// What ends the connection, for nobody knows where the next request begins.
    private static func malformed(
        _ name: String, _ file: String, _ text: String, _ status: Int, _ bytes: [UInt8]
    ) -> Attack {
        Attack(name, file, text, "\(status), and the end") { target in
            let socket = try target.connect()
            socket.send(bytes)
            try socket.expect(status)
            try socket.expectEnd()
        }
    }

    private static func malformed(
        _ name: String, _ file: String, _ guardian: String, _ status: Int, _ text: String
    ) -> Attack {
        malformed(name, file, guardian, status, Array(text.utf8))
    }

    /// What is refused, and the connection goes on.
    private static func refusedUnread(
        _ name: String, _ file: String, _ guardian: String, _ status: Int, reflects: Bool, _ text: String
    ) -> Attack {
        Attack(name, file, guardian, "\(status)\(reflects ? "" : ", without any number")") { target in
            let socket = try target.connect()
            socket.send(text)
            let answer = try socket.expect(status)
            try hold((answer.header("CSeq") != nil) == reflects, answer.head)
            try socket.request("OPTIONS", "*").expect(200)
        }
    }
}
