import TestSupport

/// Requests that are well written, and ask for what is not to be had.
extension Attack {
    static let requests: [Attack] = [
        refused(
            "a method that there is not", "RTSP/Server/ValidatedRequest.swift", "Method.known.contains(request.method)",
            501,
            "BREW", ["hall"]),
        refused(
            "an option that there is not", "RTSP/Server/ValidatedRequest.swift", "guard required.isEmpty else", 551,
            "DESCRIBE", ["hall"], ["Require": "www.onvif.org/ver20/backchannel"]),
        Attack(
            "publishing onto a stream", "RTSP/Server/ValidatedRequest.swift", "throw Refusal(.methodNotAllowed",
            "405 and what is allowed"
        ) { target in
            let socket = try target.logIn()
            for method in ["ANNOUNCE", "RECORD"] {
                let answer = try socket.request(method, target.url()).expect(405)
                try hold(answer.header("Allow")?.contains(method) == false, answer.head)
            }
        },
        Attack(
            "markup in what the answer repeats", "RTSP/Server/ValidatedRequest.swift",
            "required.filter { $0.utf8.allSatisfy",
            "551 without it"
        ) { target in
            let require = ["Require": "<script>, a b, fine"]
            let answer = try target.logIn().request("DESCRIBE", target.url(), require).expect(551)
            try hold(answer.header("Unsupported") == "fine", answer.head)
        },
        refused(
            "a header encoded into the URL", "RTSP/Messages/RequestURL.swift", "value >= 0x20, value != 0x7F", 400,
            "DESCRIBE",
            ["hall%0d%0aX-Injected:%201", "hall%00", "%7f"]),
        refused(
            "a path that leaves its folder", "RTSPServer/PathDirectory.swift",
            "if let entry = entries[path] { return entry }", 404, "DESCRIBE",
            ["../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "x/../hall", "hall/../hall", "./hall", "hall%2f.."]),
        Attack(
            "another scheme", "RTSP/Messages/RequestURL.swift",
            #"["rtsp", "rtspu", "rtsps"].contains(where: scheme.equalsIgnoringCase)"#,
            "400"
        ) { target in
            let socket = try target.logIn()
            for url in ["file:///etc/passwd", "http://127.0.0.1/hall", "javascript://h/hall"] {
                try socket.request("DESCRIBE", url).expect(400)
            }
        },
        Attack(
            "a port that there is not", "RTSP/Messages/RequestURL.swift", "let port = UInt16(exactly: port)", "400"
        ) { target in
            try target.logIn().request("DESCRIBE", "rtsp://127.0.0.1:99999/hall").expect(400)
        },
        Attack(
            "an IPv6 address without brackets", "RTSP/Dialect/RTPEncapsulation+Refusals.swift",
            "guard !url.hasBareIPv6Host",
            "400"
        ) { target in
            try target.logIn().request("DESCRIBE", "rtsp://::1:8554/hall").expect(400)
        },
        Attack(
            "asking for parameters", "RTSP/Server/ServerConnection+Requests.swift",
            "guard isEmpty else { throw Refusal(.parameterNotUnderstood)", "451"
        ) { target in
            let (socket, body) = (try target.logIn(), "packets_received\r\npassword\r\n")
            let headers = ["Content-Length": "\(body.utf8.count)", "Content-Type": "text/parameters"]
            socket.send(socket.text(of: "GET_PARAMETER", target.url(), headers) + body)
            try socket.expect(451)
        },
        Attack(
            "a range that is none", "RTSP/Server/ValidatedRequest.swift", "guard let range = RangeHeader(text)", "457"
        ) { target in
            let socket = try target.logIn()
            let (url, session) = try target.setUp(on: socket)
            for range in ["npt=1e999-", "npt=-", "clock=99999999T999999Z-"] {
                try socket.request("PLAY", url, session.merging(["Range": range]) { $1 }).expect(457)
            }
        },
        refused(
            "another description", "RTSP/Server/ServerConnection+Requests.swift", "guard request.acceptsSDP else", 406,
            "DESCRIBE", ["hall"], ["Accept": "text/html"]),
        Attack(
            "a password in the URL, to find it in an answer or in the log", "RTSP/Messages/RequestURL.swift",
            #"text = "\(scheme)://\(hostAndPort)\(path)""#, "200 and 404 without it"
        ) { target in
            let socket = try target.logIn()
            for (path, status) in [("hall", 200), ("nothing-there", 404)] {
                let answer = try socket.request("DESCRIBE", target.url(path, user: "viewer:topsecret99@"))
                try answer.expect(status)
                try hold(!(answer.head + answer.body).contains("topsecret99"), answer.head)
            }
            try hold(!target.server.log.contains("topsecret99"), "the log has it")
        },
    ]

    private static func refused(
        _ name: String, _ file: String, _ guardian: String, _ status: Int, _ method: String, _ paths: [String],
        _ headers: [String: String] = [:]
    ) -> Attack {
        Attack(name, file, guardian, "\(status)") { target in
            let socket = try target.logIn()
            for path in paths { try socket.request(method, target.url(path), headers).expect(status) }
            try socket.request("OPTIONS", "*").expect(200)
        }
    }
}
