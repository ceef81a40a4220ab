import TestSupport

/// Malformed or oversized requests (RFC 2326, section 4), which the server rejects before authentication.
extension Attack {
    static let grammar: [Attack] = [
        malformed(
            "an endless header section", in: "RTSP/Messages/MessageHead.swift",
            guard: "limits.headByteCount - byteCount", status: 413,
            "OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nX: " + String(repeating: "a", count: 20_000)),
        malformed(
            "an endless request line", in: "RTSP/Messages/MessageHead.swift", guard: "limits.urlByteCount + 64",
            status: 414,
            "OPTIONS " + String(repeating: "a", count: 5_000)),
        malformed(
            "a URL slightly above the length limit", in: "RTSP/Messages/MessageHead.swift",
            guard: "words[1].utf8.count <= limits.urlByteCount", status: 414,
            "OPTIONS rtsp://h/\(String(repeating: "a", count: 2_045)) RTSP/1.0\r\nCSeq: 1\r\n\r\n"),
        malformed(
            "a hundred headers", in: "RTSP/Messages/MessageHead.swift", guard: "lineCount <= limits.headerCount",
            status: 413,
            "OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n" + String(repeating: "X: 1\r\n", count: 100) + "\r\n"),
        malformed(
            "a Content-Length above the limit", in: "RTSP/Messages/MessageHead.swift", guard: "length <= limit",
            status: 413,
            "OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nContent-Length: 70000\r\n\r\n"),
        malformed(
            "a Content-Length beyond all integers", in: "RTSP/Messages/Grammar.swift",
            guard: "(1...maximumDigits).contains(utf8.count)", status: 413,
            "OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nContent-Length: 99999999999999999999\r\n\r\n"),
        malformed(
            "two Content-Lengths, to smuggle a request in a body", in: "RTSP/Messages/MessageHead.swift",
            guard: "lengths.count == 1", status: 400,
            "OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nContent-Length: 0\r\nContent-Length: 44\r\n\r\n"),
        malformed(
            "a negative Content-Length", in: "RTSP/Messages/MessageHead.swift",
            guard: #"text.utf8.allSatisfy(\.isDigit)"#, status: 400,
            "OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nContent-Length: -5\r\n\r\n"),
        malformed(
            "a zero byte in a header", in: "RTSP/Messages/ParserInput.swift",
            guard: "byte.isForbiddenControl, byte != 0x0D", status: 400,
            "OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nX: a\u{0}b\r\n\r\n"),
        malformed(
            "a header hidden after a bare CR", in: "RTSP/Messages/ParserInput.swift", guard: "if followsReturn {",
            status: 400,
            "OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nX: a\rSession: 1\r\n\r\n"),
        malformed(
            "bytes that are not text", in: "RTSP/Messages/Parser.swift", guard: "guard first.isLetter else",
            status: 400, "99999999"),
        malformed(
            "a method that is not a token", in: "RTSP/Messages/MessageHead.swift", guard: "words[0].isToken",
            status: 400,
            "OPT(IONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n"),
        malformed(
            "a URL that is not UTF-8", in: "RTSP/Messages/MessageHead.swift",
            guard: "String(validating: line, as: UTF8.self) != nil", status: 400,
            Array("OPTIONS rtsp://h/".utf8) + [0xFF, 0xFE] + Array(" RTSP/1.0\r\nCSeq: 1\r\n\r\n".utf8)),
        malformed(
            "a header without a colon", in: "RTSP/Messages/MessageHead.swift",
            guard: #"text.halves(around: ":"), name.isToken"#, status: 400,
            "OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nno colon\r\n\r\n"),
        malformed(
            "a folded line without a header before it", in: "RTSP/Messages/MessageHead.swift",
            guard: "guard headers.fold(text.trimmed) else",
            status: 400, "OPTIONS * RTSP/1.0\r\n folded\r\nCSeq: 1\r\n\r\n"),
        Attack(
            "HTTP", in: "RTSP/Messages/MessageHead.swift", guard: "if isHTTP(words) { throw",
            effect: "501 in HTTP, then the connection is closed"
        ) { target in
            let socket = try target.connect()
            socket.send("POST /cam HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n")
            let answer = try socket.expect(501)
            try verify(answer.head.hasPrefix("HTTP/1.0"), answer.head)
            try socket.expectEnd()
        },
        Attack(
            "a request inside a body", in: "RTSP/Messages/Parser.swift",
            guard: "guard let body = input.take(byteCount)", effect: "one response"
        ) { target in
            let (socket, hidden) = (try target.connect(), "OPTIONS * RTSP/1.0\r\nCSeq: 66\r\n\r\n")
            socket.send("OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nContent-Length: \(hidden.utf8.count)\r\n\r\n\(hidden)")
            try socket.expect(200)
            socket.send("OPTIONS * RTSP/1.0\r\nCSeq: 2\r\n\r\n")
            try verify(try socket.expect(200).header("CSeq") == "2", "the body was processed as a request")
        },
        Attack(
            "10 000 empty lines", in: "RTSP/Messages/Parser.swift", guard: "guard byte == 0x0D || byte == 0x0A else",
            effect: "the next request succeeds"
        ) { target in
            let socket = try target.connect()
            socket.send(String(repeating: "\r\n", count: 10_000))
            try socket.request("OPTIONS", "*").expect(200)
        },
        Attack(
            "responses without a request", in: "RTSP/Server/ServerConnection.swift", guard: "case .response:",
            effect: "the next request succeeds"
        ) { target in
            let socket = try target.connect()
            let answer = "RTSP/1.0 200 OK\r\nCSeq: 1\r\nSession: 1\r\nContent-Length: 2\r\n\r\nab"
            socket.send(String(repeating: answer, count: 50))
            try socket.request("OPTIONS", "*").expect(200)
        },
        refusedUnread(
            "two CSeq headers", in: "RTSP/Headers/CSeq.swift", guard: "values.count == 1", status: 400, reflects: false,
            "OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nCSeq: 2\r\n\r\n"),
        refusedUnread(
            "a CSeq above the RFC's limit", in: "RTSP/Headers/CSeq.swift", guard: "number <= 0x7FFF_FFFF", status: 400,
            reflects: false, "OPTIONS * RTSP/1.0\r\nCSeq: 4294967295\r\n\r\n"),
        refusedUnread(
            "another RTSP version", in: "RTSP/Server/ServerConnection+Requests.swift", guard: "request.version == .one",
            status: 505, reflects: true,
            "OPTIONS * RTSP/9.9\r\nCSeq: 1\r\n\r\n"),
    ]

    /// A message after which the server closes the connection, because the beginning of the next message is unknown.
    private static func malformed(
        _ name: String, in file: String, guard text: String, status: Int, _ bytes: [UInt8]
    ) -> Attack {
        Attack(name, in: file, guard: text, effect: "\(status), then the connection is closed") { target in
            let socket = try target.connect()
            socket.send(bytes)
            try socket.expect(status)
            try socket.expectEnd()
        }
    }

    private static func malformed(
        _ name: String, in file: String, guard guardText: String, status: Int, _ text: String
    ) -> Attack {
        malformed(name, in: file, guard: guardText, status: status, Array(text.utf8))
    }

    /// A message that is rejected without closing the connection.
    private static func refusedUnread(
        _ name: String, in file: String, guard guardText: String, status: Int, reflects: Bool, _ text: String
    ) -> Attack {
        Attack(name, in: file, guard: guardText, effect: "\(status)\(reflects ? "" : ", without CSeq")") { target in
            let socket = try target.connect()
            socket.send(text)
            let answer = try socket.expect(status)
            try verify((answer.header("CSeq") != nil) == reflects, answer.head)
            try socket.request("OPTIONS", "*").expect(200)
        }
    }
}
