import RTP
import TestSupport

/// Attacks on sessions and their limits.
extension Attack {
    static let sessions: [Attack] = [
        Attack(
            "the session of another connection: PLAY, PAUSE, TEARDOWN, SETUP, parameters, from the same address and another",
            in: "RTSP/Server/ServerConnection+Requests.swift", guard: "guard let session = sessions[id]",
            effect: "454; the session continues"
        ) { target in
            let victim = try target.logIn()
            let (url, session) = try target.setUp(on: victim)
            try victim.request("PLAY", url, session).expect(200)
            for address in ["127.0.0.1", target.freshAddress()] {
                let attacker = try target.logIn(from: address)
                for method in ["OPTIONS", "GET_PARAMETER", "SET_PARAMETER", "PLAY", "PAUSE", "TEARDOWN"] {
                    try attacker.request(method, url, session).expect(454)
                }
                let transport = ["Transport": Target.interleaved(2)]
                try attacker.request("SETUP", url, session.merging(transport) { $1 }).expect(454)
            }
            try victim.request("GET_PARAMETER", url, session).expect(200)
            try verify(victim.frame(within: 3) != nil, "the server sends nothing any more")
        },
        Attack(
            "another user's session, on that user's connection", in: "RTSP/Server/ServerConnection+Requests.swift",
            guard: "isAllowed(request, grant, toName: session.grant)", effect: "454", scope: .users
        ) { target in
            let socket = try target.logIn()
            let (url, session) = try target.setUp("cam", on: socket)
            socket.login = { Digest(.watcher, answering: $2).authorization($0, $1) }
            for method in ["GET_PARAMETER", "PLAY", "TEARDOWN"] {
                try socket.request(method, url, session).expect(454)
            }
            socket.login = { Digest(.viewer, answering: $2).authorization($0, $1) }
            try socket.request("TEARDOWN", url, session).expect(200)
        },
        Attack(
            "guessing a session ID", in: "RTSPServer/Sessions/Sessions.swift",
            guard: "SessionID(random: numbers.next(), numbers.next())", effect: "128 random bits"
        ) { target in
            let socket = try target.logIn()
            var names: Set<String> = []
            for _ in 0..<20 {
                let (url, session) = try target.setUp(on: socket)
                names.insert(session["Session"] ?? "")
                try socket.request("TEARDOWN", url, session).expect(200)
            }
            try verify(names.count == 20 && names.allSatisfy { $0.utf8.count == 32 }, "\(names)")
            // By chance, a digit is the same in all 20 IDs once in 16¹⁹.
            let isRandomAtEveryPosition = (0..<32).allSatisfy { place in Set(names.map { Array($0)[place] }).count > 1 }
            try verify(isRandomAtEveryPosition, "\(names)")
        },
        Attack(
            "a session ID after TEARDOWN", in: "RTSP/Server/ServerConnection.swift", guard: "sessions[session] = nil",
            effect: "454"
        ) { target in
            let socket = try target.logIn()
            let (url, session) = try target.setUp(on: socket)
            try socket.request("TEARDOWN", url, session).expect(200)
            for method in ["PLAY", "TEARDOWN"] { try socket.request(method, url, session).expect(454) }
        },
        Attack(
            "more sessions than allowed per connection", in: "RTSP/Server/SessionTable.swift",
            guard: "sessions.count < maximumCount",
            effect: "453"
        ) { target in
            let socket = try target.logIn()
            for index in 0..<8 { try setUp(index, on: socket, of: target).expect(200) }
            try setUp(8, on: socket, of: target).expect(453)
        },
        Attack(
            "more sessions than the server allows", in: "RTSPServer/Server/Registry.swift",
            guard: "state.viewerCount < maximumViewers",
            effect: "453; current viewers continue"
        ) { target in
            let sockets = try (0..<6).map { _ in try target.logIn() }
            let answers = try sockets.flatMap { socket in
                try (0..<7).map { try setUp($0, on: socket, of: target).status }
            }
            // The two viewers count.
            let expected = Array(repeating: 200, count: Setting.viewerLimit - 2)
            try verify(
                answers.starts(with: expected) && answers.dropFirst(expected.count).allSatisfy { $0 == 453 },
                "\(answers)")
        },
        Attack(
            "viewers that disconnect without TEARDOWN, to exhaust the limit", in: "RTSP/Server/ServerConnection.swift",
            guard: "end(session, .connectionClosed(reason))", effect: "new sessions are accepted"
        ) { target in
            for _ in 0..<Setting.viewerLimit + 5 { _ = try setUp(0, on: target.logIn(), of: target) }
            let isAccepted = try soon { try setUp(0, on: target.logIn(), of: target).status == 200 }
            try verify(isAccepted, "no new session is accepted")
        },
        Attack(
            "continuous joining and leaving", in: "RTSPServer/Sessions/Sessions.swift",
            guard: "registry.viewerLeft()",
            effect: "new sessions are accepted"
        ) { target in
            let socket = try target.logIn()
            for _ in 0..<Setting.viewerLimit + 5 {
                let (url, session) = try target.setUp(on: socket)
                try socket.request("TEARDOWN", url, session).expect(200)
            }
        },
        Attack(
            "a session without any request", in: "RTSP/Server/SessionTable.swift",
            guard: "sessions.filter { $0.id != exempt && deadline($0) <= now }", effect: "454 after 1.25 × its timeout",
            scope: .all, length: .patient
        ) { target in
            let socket = try target.logIn()
            let (url, session) = try target.setUp(on: socket)
            pause(7)
            try socket.request("GET_PARAMETER", url, session).expect(454)
        },
        Attack(
            "another stream in the same session", in: "RTSP/Server/ServerSession.swift",
            guard: "guard isAddressed(by: url) else { throw Refusal(.aggregateOperationNotAllowed) }", effect: "459"
        ) { target in
            let socket = try target.logIn()
            let (_, session) = try target.setUp(on: socket)
            let headers = session.merging(["Transport": Target.interleaved(2)]) { $1 }
            try socket.request("SETUP", target.url("yard/gate/track1"), headers).expect(459)
        },
        Attack(
            "a session ID with another stream's URL", in: "RTSP/Server/ServerSession.swift",
            guard: #"throw Refusal(.notFound, reason: "Not In This Session")"#, effect: "404"
        ) { target in
            let socket = try target.logIn()
            let (_, session) = try target.setUp(on: socket)
            try socket.request("PLAY", target.url("yard/gate"), session).expect(404)
        },
        Attack(
            "another track while the session plays", in: "RTSP/Server/ServerSession.swift",
            guard: "guard encapsulation == .tracks, state == .ready", effect: "455"
        ) { target in
            let socket = try target.logIn()
            let (_, session) = try target.setUp("cam", on: socket)
            try socket.request("PLAY", target.url("cam"), session).expect(200)
            let headers = session.merging(["Transport": Target.interleaved(2)]) { $1 }
            try socket.request("SETUP", target.url("cam/track2"), headers).expect(455)
        },
        Attack(
            "the same track again", in: "RTSP/Server/ServerSession.swift",
            guard: "!tracks.contains(where: { $0.control == url.track })", effect: "455"
        ) { target in
            let socket = try target.logIn()
            let (url, session) = try target.setUp("cam", on: socket)
            let headers = session.merging(["Transport": Target.interleaved(2)]) { $1 }
            try socket.request("SETUP", url, headers).expect(455)
        },
        Attack(
            "a stream number with another session", in: "RTSP/Server/ServerConnection+Requests.swift",
            guard: "guard url.streamID != nil, method != .describe, session?.isAddressed(by: url) != true",
            effect: "454"
        ) { target in
            let socket = try target.logIn()
            let (_, session) = try target.setUp(on: socket)
            for number in 1...3 { try socket.request("PLAY", target.url("stream=\(number)"), session).expect(454) }
        },
        Attack(
            "repeated PLAY, to get a fast start each time", in: "RTSPServer/Connections/ConnectedClient.swift",
            guard: "now - $0 >= Self.joinInterval",
            effect: "the second one starts without a fast start"
        ) { target in
            // The first PLAY yields at least 20 frames, as soon as the history is long enough.
            var second: Int?
            let hasPast = try soon(within: 5) {
                let socket = try target.logIn()
                let (url, session) = try target.setUp(on: socket)
                guard try framesOfOnePlay(url, session, on: socket) >= 20 else { return false }
                second = try framesOfOnePlay(url, session, on: socket)
                return true
            }
            try verify(hasPast && second ?? 0 < 15, "\(second ?? 0) frames")
        },
        Attack(
            "continuous requests for keyframes", in: "Streams/Policies/KeyframeRequestLimiter.swift",
            guard: "guard requests.takeOne(at: now) else",
            effect: "3 at once, then one per 500 ms, for all clients together"
        ) { target in
            let socket = try target.logIn()
            let (url, session) = try target.setUp("cam", on: socket)
            try socket.request("PLAY", url, session).expect(200)
            let before = target.records[1].keyframeCount
            for _ in 0..<60 {
                socket.send(interleaved(1, ControlBytes.receiverReport + ControlBytes.pictureLoss(of: nil)))
                pause(0.025)
            }
            // In 1.5 s, plus earlier requests.
            let count = target.records[1].keyframeCount - before
            try verify((1...9).contains(count), "\(count) keyframes")
        },
    ]

    /// Returns the number of frames that one PLAY followed by PAUSE yields.
    private static func framesOfOnePlay(
        _ url: String, _ session: [String: String], on socket: RTSPSocket
    ) throws -> Int {
        try socket.request("PLAY", url, session).expect(200)
        pause(0.1)
        try socket.request("PAUSE", url, session).expect(200)
        var frameCount = 0
        while let frame = socket.frame(within: 0.1) {
            // The last packet of each frame has the marker bit.
            if frame.channel == 0, frame.bytes[1] & 0x80 != 0 { frameCount += 1 }
        }
        return frameCount
    }

    private static func setUp(
        _ index: Int, on socket: RTSPSocket, of target: Target
    ) throws -> RTSPSocket.Response {
        let transport = ["Transport": Target.interleaved(2 * index)]
        return try socket.request("SETUP", target.url("hall/track1"), transport)
    }
}
