import TestSupport

/// Well-formed requests that the server must refuse.
extension Attack {
    static let requests: [Attack] = [
        refused(
            "an unknown method", in: "RTSP/Server/ValidatedRequest.swift",
            guard: "Method.known.contains(request.method)", status: 501,
            method: "BREW", paths: ["hall"]),
        refused(
            "an unknown option", in: "RTSP/Server/ValidatedRequest.swift", guard: "guard required.isEmpty else",
            status: 551,
            method: "DESCRIBE", paths: ["hall"], headers: ["Require": "www.onvif.org/ver20/backchannel"]),
        Attack(
            "publishing without the right to it", in: "RTSP/Server/ServerConnection+Publishing.swift",
            guard: "case .announce: return url.wholePath",
            effect: "401, like a wrong password"
        ) { target in
            let socket = try target.logIn()
            for method in ["ANNOUNCE", "RECORD"] { _ = try socket.request(method, target.url()).expect(401) }
        },
        Attack(
            "markup in a header that the response repeats", in: "RTSP/Server/ValidatedRequest.swift",
            guard: "required.filter { $0.utf8.allSatisfy",
            effect: "551 without the markup"
        ) { target in
            let require = ["Require": "<script>, a b, fine"]
            let answer = try target.logIn().request("DESCRIBE", target.url(), require).expect(551)
            try verify(answer.header("Unsupported") == "fine", answer.head)
        },
        refused(
            "an encoded header in the URL", in: "RTSP/Messages/RequestURL.swift", guard: "value >= 0x20, value != 0x7F",
            status: 400, method: "DESCRIBE",
            paths: ["hall%0d%0aX-Injected:%201", "hall%00", "%7f"]),
        refused(
            "a path that leaves its folder", in: "RTSPServer/Server/PathDirectory.swift",
            guard: "if let entry = entries[path] { return entry }", status: 404, method: "DESCRIBE",
            paths: ["../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "x/../hall", "hall/../hall", "./hall", "hall%2f.."]),
        Attack(
            "another URL scheme", in: "RTSP/Messages/RequestURL.swift",
            guard: #"["rtsp", "rtspu", "rtsps"].contains(where: scheme.equalsIgnoringCase)"#,
            effect: "400"
        ) { target in
            let socket = try target.logIn()
            for url in ["file:///etc/passwd", "http://127.0.0.1/hall", "javascript://h/hall"] {
                try socket.request("DESCRIBE", url).expect(400)
            }
        },
        Attack(
            "an invalid port", in: "RTSP/Messages/RequestURL.swift", guard: "let port = UInt16(exactly: port)",
            effect: "400"
        ) { target in
            try target.logIn().request("DESCRIBE", "rtsp://127.0.0.1:99999/hall").expect(400)
        },
        Attack(
            "an IPv6 address without brackets", in: "RTSP/Dialect/RTPEncapsulation+Refusals.swift",
            guard: "guard !url.hasBareIPv6Host",
            effect: "400"
        ) { target in
            try target.logIn().request("DESCRIBE", "rtsp://::1:8554/hall").expect(400)
        },
        Attack(
            "a request for parameters", in: "RTSP/Server/ServerConnection+Requests.swift",
            guard: "guard request.hasNoParameters else { throw Refusal(.parameterNotUnderstood)", effect: "451"
        ) { target in
            let (socket, body) = (try target.logIn(), "packets_received\r\npassword\r\n")
            let headers = ["Content-Length": "\(body.utf8.count)", "Content-Type": "text/parameters"]
            socket.send(socket.text(of: "GET_PARAMETER", target.url(), headers) + body)
            try socket.expect(451)
        },
        Attack(
            "an invalid range", in: "RTSP/Server/ValidatedRequest.swift", guard: "guard let range = RangeHeader(text)",
            effect: "457"
        ) { target in
            let socket = try target.logIn()
            let (url, session) = try target.setUp(on: socket)
            for range in ["npt=1e999-", "npt=-", "clock=99999999T999999Z-"] {
                try socket.request("PLAY", url, session.merging(["Range": range]) { $1 }).expect(457)
            }
        },
        refused(
            "another description format", in: "RTSP/Server/ServerConnection+Requests.swift",
            guard: "guard request.acceptsSDP else", status: 406,
            method: "DESCRIBE", paths: ["hall"], headers: ["Accept": "text/html"]),
        Attack(
            "a password in the URL, to find it in a response or in the log", in: "RTSP/Messages/RequestURL.swift",
            guard: #"text = "\(scheme)://\(hostAndPort)\(path)""#, effect: "200 and 404 without the password"
        ) { target in
            let socket = try target.logIn()
            for (path, status) in [("hall", 200), ("nothing-there", 404)] {
                let answer = try socket.request("DESCRIBE", target.url(path, user: "viewer:topsecret99@"))
                try answer.expect(status)
                try verify(!(answer.head + answer.body).contains("topsecret99"), answer.head)
            }
            try verify(!target.server.log.contains("topsecret99"), "the password is in the log")
        },
    ]

    private static func refused(
        _ name: String, in file: String, guard guardText: String, status: Int, method: String, paths: [String],
        headers: [String: String] = [:]
    ) -> Attack {
        Attack(name, in: file, guard: guardText, effect: "\(status)") { target in
            let socket = try target.logIn()
            for path in paths { try socket.request(method, target.url(path), headers).expect(status) }
            try socket.request("OPTIONS", "*").expect(200)
        }
    }
}
