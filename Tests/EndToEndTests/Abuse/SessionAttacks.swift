import RTP
import TestSupport

/// What belongs to a connection, and how much of it.
extension Attack {
    static let sessions: [Attack] = [
        Attack(
            "another connection's session: PLAY, PAUSE, TEARDOWN, SETUP, parameters, from the same address and another",
            "RTSP/Server/ServerConnection+Requests.swift", "guard let session = sessions[id]",
            "454; the session goes on"
        ) { target in
            let victim = try target.logIn()
            let (url, session) = try target.setUp(on: victim)
            try victim.request("PLAY", url, session).expect(200)
            for address in ["127.0.0.1", target.freshAddress()] {
                let thief = try target.logIn(from: address)
                for method in ["OPTIONS", "GET_PARAMETER", "SET_PARAMETER", "PLAY", "PAUSE", "TEARDOWN"] {
                    try thief.request(method, url, session).expect(454)
                }
                let transport = ["Transport": Target.interleaved(2)]
                try thief.request("SETUP", url, session.merging(transport) { $1 }).expect(454)
            }
            try victim.request("GET_PARAMETER", url, session).expect(200)
            try hold(victim.frame(within: 3) != nil, "nothing is sent any more")
        },
        Attack(
            "another user's session, on their own connection", "RTSP/Server/ServerConnection+Requests.swift",
            "session.grant.user == grant.user", "454", .users
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
            "guessing a session's name", "RTSPServer/ServerLoop+Sessions.swift",
            "SessionID(random: numbers.next(), numbers.next())", "128 random bits"
        ) { target in
            let socket = try target.logIn()
            var names: Set<String> = []
            for _ in 0..<20 {
                let (url, session) = try target.setUp(on: socket)
                names.insert(session["Session"] ?? "")
                try socket.request("TEARDOWN", url, session).expect(200)
            }
            try hold(names.count == 20 && names.allSatisfy { $0.utf8.count == 32 }, "\(names)")
            // A digit that is the same in all of 20 is chance once in 16¹⁹.
            let isEverywhereRandom = (0..<32).allSatisfy { place in Set(names.map { Array($0)[place] }).count > 1 }
            try hold(isEverywhereRandom, "\(names)")
        },
        Attack(
            "a name after its TEARDOWN", "RTSP/Server/ServerConnection.swift", "sessions[session] = nil", "454"
        ) { target in
            let socket = try target.logIn()
            let (url, session) = try target.setUp(on: socket)
            try socket.request("TEARDOWN", url, session).expect(200)
            for method in ["PLAY", "TEARDOWN"] { try socket.request(method, url, session).expect(454) }
        },
        Attack(
            "more sessions than a connection may have", "RTSP/Server/SessionTable.swift",
            "sessions.count < maximumCount",
            "453"
        ) { target in
            let socket = try target.logIn()
            for index in 0..<8 { try setUp(index, on: socket, of: target).expect(200) }
            try setUp(8, on: socket, of: target).expect(453)
        },
        Attack(
            "more sessions than the server has", "RTSPServer/Registry.swift", "state.viewerCount < maximumViewers",
            "453; who watches goes on"
        ) { target in
            let sockets = try (0..<6).map { _ in try target.logIn() }
            let answers = try sockets.flatMap { socket in
                try (0..<7).map { try setUp($0, on: socket, of: target).status }
            }
            // Two watch.
            let expected = Array(repeating: 200, count: Setting.viewerLimit - 2)
            try hold(
                answers.starts(with: expected) && answers.dropFirst(expected.count).allSatisfy { $0 == 453 },
                "\(answers)")
        },
        Attack(
            "viewers that vanish, until there is room for nobody", "RTSP/Server/ServerConnection.swift",
            "end(session.id, .connectionClosed(reason))", "there is room"
        ) { target in
            for _ in 0..<Setting.viewerLimit + 5 { _ = try setUp(0, on: target.logIn(), of: target) }
            let isRoom = try soon { try setUp(0, on: target.logIn(), of: target).status == 200 }
            try hold(isRoom, "there is room for nobody")
        },
        Attack(
            "joining and leaving all the time", "RTSPServer/ServerLoop+Sessions.swift", "registry.viewerLeft()",
            "there is room"
        ) { target in
            let socket = try target.logIn()
            for _ in 0..<Setting.viewerLimit + 5 {
                let (url, session) = try target.setUp(on: socket)
                try socket.request("TEARDOWN", url, session).expect(200)
            }
        },
        Attack(
            "a session that says nothing", "RTSP/Server/SessionTable.swift",
            "sessions.filter { $0.id != exempt && deadline($0) <= now }", "454 after 1.25 × its timeout", .all, .patient
        ) { target in
            let socket = try target.logIn()
            let (url, session) = try target.setUp(on: socket)
            pause(7)
            try socket.request("GET_PARAMETER", url, session).expect(454)
        },
        Attack(
            "another stream in one's session", "RTSP/Server/ServerSession.swift",
            "guard isAddressed(by: url) else { throw Refusal(.aggregateOperationNotAllowed) }", "459"
        ) { target in
            let socket = try target.logIn()
            let (_, session) = try target.setUp(on: socket)
            let headers = session.merging(["Transport": Target.interleaved(2)]) { $1 }
            try socket.request("SETUP", target.url("yard/gate/track1"), headers).expect(459)
        },
        Attack(
            "one's session for another stream's URL", "RTSP/Server/ServerSession.swift",
            #"throw Refusal(.notFound, reason: "Not In This Session")"#, "404"
        ) { target in
            let socket = try target.logIn()
            let (_, session) = try target.setUp(on: socket)
            try socket.request("PLAY", target.url("yard/gate"), session).expect(404)
        },
        Attack(
            "a track more while it plays", "RTSP/Server/ServerSession.swift",
            "guard encapsulation == .tracks, state == .ready", "455"
        ) { target in
            let socket = try target.logIn()
            let (_, session) = try target.setUp("cam", on: socket)
            try socket.request("PLAY", target.url("cam"), session).expect(200)
            let headers = session.merging(["Transport": Target.interleaved(2)]) { $1 }
            try socket.request("SETUP", target.url("cam/track2"), headers).expect(455)
        },
        Attack(
            "the same track again", "RTSP/Server/ServerSession.swift",
            "!tracks.contains(where: { $0.control == url.track })", "455"
        ) { target in
            let socket = try target.logIn()
            let (url, session) = try target.setUp("cam", on: socket)
            let headers = session.merging(["Transport": Target.interleaved(2)]) { $1 }
            try socket.request("SETUP", url, headers).expect(455)
        },
        Attack(
            "a stream's number beside another session", "RTSP/Server/ServerConnection+Requests.swift",
            "guard url.streamID != nil, method != .describe, session?.isAddressed(by: url) != true", "454"
        ) { target in
            let socket = try target.logIn()
            let (_, session) = try target.setUp(on: socket)
            for number in 1...3 { try socket.request("PLAY", target.url("stream=\(number)"), session).expect(454) }
        },
        Attack(
            "PLAY after PLAY, for the past each time", "RTSPServer/Connection.swift", "now - $0 >= Self.joinInterval",
            "the second time the present alone"
        ) { target in
            // The first time there are 20 at least, once there is so much of a past.
            var second: Int?
            let hasPast = try soon(within: 5) {
                let socket = try target.logIn()
                let (url, session) = try target.setUp(on: socket)
                guard try picturesOfOnePlay(url, session, on: socket) >= 20 else { return false }
                second = try picturesOfOnePlay(url, session, on: socket)
                return true
            }
            try hold(hasPast && second ?? 0 < 15, "\(second ?? 0) pictures")
        },
        Attack(
            "asking for random access all the time", "Streams/KeyframeRequestLimiter.swift", "guard tokens > 0 else",
            "3 at once, then one each 500 ms, for all together"
        ) { target in
            let socket = try target.logIn()
            let (url, session) = try target.setUp("cam", on: socket)
            try socket.request("PLAY", url, session).expect(200)
            let before = target.records[1].randomAccessPointCount
            for _ in 0..<60 {
                socket.send(interleaved(1, ControlBytes.receiverReport + ControlBytes.pictureLoss(of: nil)))
                pause(0.025)
            }
            // 1.5 s, and what had been asked before.
            let count = target.records[1].randomAccessPointCount - before
            try hold((1...9).contains(count), "\(count) random access points")
        },
    ]

    /// PLAY and PAUSE, and how many pictures came.
    private static func picturesOfOnePlay(
        _ url: String, _ session: [String: String], on socket: RTSPSocket
    ) throws -> Int {
        try socket.request("PLAY", url, session).expect(200)
        pause(0.1)
        try socket.request("PAUSE", url, session).expect(200)
        var pictures = 0
        while let frame = socket.frame(within: 0.1) {
            // The last packet of each has the marker.
            if frame.channel == 0, frame.bytes[1] & 0x80 != 0 { pictures += 1 }
        }
        return pictures
    }

    private static func setUp(
        _ index: Int, on socket: RTSPSocket, of target: Target
    ) throws -> RTSPSocket.Response {
        let transport = ["Transport": Target.interleaved(2 * index)]
        return try socket.request("SETUP", target.url("hall/track1"), transport)
    }
}
