import TestSupport

/// Who asks for what, and from where.
extension Attack {
    static let authentication: [Attack] = [
        Attack(
            "every method without credentials", "RTSP/Access/Authenticator.swift", "guard !values.isEmpty else {",
            "401 with one challenge; OPTIONS 200", .users
        ) { target in
            let socket = try target.connect()
            try socket.request("OPTIONS", target.url()).expect(200)
            let methods = ["DESCRIBE", "SETUP", "PLAY", "PAUSE", "TEARDOWN", "GET_PARAMETER", "SET_PARAMETER"]
            for method in methods + ["ANNOUNCE", "RECORD", "REDIRECT"] {
                let answer = try socket.request(method, target.url(), ["Transport": Target.interleaved(0)]).expect(401)
                try hold(answer.head.split(separator: "WWW-Authenticate:").count == 2, answer.head)
                let challenge = answer.header("WWW-Authenticate") ?? ""
                try hold(challenge.hasPrefix("Digest realm=\"Apus\", nonce=\""), challenge)
            }
        },
        Attack(
            "asking what is wrong with a request, without credentials", "RTSP/Server/ServerConnection+Requests.swift",
            "switch try authorise(request, validated, at: now) {", "401", .users
        ) { target in
            let socket = try target.connect()
            for (method, url) in [("BREW", target.url()), ("DESCRIBE", "nonsense"), ("PLAY", target.url("none"))] {
                try socket.request(method, url, ["Require": "nothing"]).expect(401)
            }
        },
        Attack(
            "looking for paths that are not one's own", "RTSP/Access/Authenticator.swift",
            "grant.admits(request.right, request.path", "401, whether there is such a path or not", .users
        ) { target in
            let socket = try target.logIn(as: .gardener)
            try socket.request("DESCRIBE", target.url("yard/gate")).expect(200)
            let heads = try ["hall", "none", "yard", "%68all", "hall/track1"].map { path in
                try socket.request("DESCRIBE", target.url(path)).expect(401).head
                    .replacing(/CSeq: \d+/, with: "")
            }
            try hold(Set(heads).count == 1, "\(heads)")
        },
        Attack(
            "a path whose name only begins with one's own", "RTSP/Access/Grant.swift",
            "return isWhole ? path == beginning : path.hasPrefix(beginning)", "401", .users
        ) { target in
            // Who may watch `cam` may not watch `cam-late`.
            try target.logIn(as: .watcher).request("DESCRIBE", target.url("cam-late")).expect(401)
        },
        Attack(
            "a path that differs from one's own in case, by SAT>IP", "RTSPServer/PathDirectory.swift",
            "$0.lowercased() == lowercased && grant.admits(.read, $0)", "404", .usersInTheClear
        ) { target in
            let url = target.url("cam", user: "typist:capital55@")
            let transport = ["Transport": "RTP/AVP;unicast;client_port=50950-50951"]
            try target.connect().request("SETUP", url, transport).expect(404)
        },
        Attack(
            "an address that is denied", "RTSP/Access/Authenticator.swift",
            "guard policy.addresses.admits(address) else { throw .address }", "403"
        ) { target in
            let socket = try target.connect(from: "127.0.0.13")
            for path in ["hall", "none"] { try socket.request("DESCRIBE", target.url(path)).expect(403) }
        },
        Attack(
            "somebody's password, from where that user may not come", "RTSP/Access/Authenticator.swift",
            "guard user.addresses.admits(address),", "401", .users
        ) { target in
            try target.logIn(as: .neighbour, from: "127.0.0.7").request("DESCRIBE", target.url()).expect(200)
            try target.logIn(as: .neighbour).request("DESCRIBE", target.url()).expect(401)
        },
        Attack(
            "telling users by the answer or its time", "RTSP/Access/Accounts.swift", "byName[name] ?? unknownUser",
            "the same 401 after the same time", .users
        ) { target in
            let answers = try ["viewer", "nobody"].map { name in try guess(as: name, target) }
            let heads = Set(
                answers.map { $0.head.replacing(/nonce="[^"]*"/, with: "").replacing(/CSeq: \d+/, with: "") })
            try hold(heads.count == 1, "\(heads)")
            let delay = Duration.milliseconds(Setting.wrongPasswordMilliseconds)
            try hold(answers.allSatisfy { $0.time >= delay }, "\(answers.map(\.time))")
        },
        Attack(
            "many wrong passwords at once", "RTSP/Server/ServerConnection+Access.swift",
            "guard limits.delayMilliseconds > 0 else", "each waits for the one before it", .users
        ) { target in
            let socket = try target.connect(from: target.freshAddress())
            let challenge = try socket.request("DESCRIBE", target.url()).header("WWW-Authenticate") ?? ""
            let start = ContinuousClock.now
            for number in 1...5 {
                let digest = Digest(user: "viewer", password: "wrong\(number)", answering: challenge)
                let headers = ["Authorization": digest.authorization("DESCRIBE", target.url())]
                socket.send(socket.text(of: "DESCRIBE", target.url(), headers))
            }
            for _ in 1...5 { try socket.expect(401) }
            let time = ContinuousClock.now - start
            try hold(time >= .milliseconds(5 * Setting.wrongPasswordMilliseconds), "\(time)")
        },
        Attack(
            "ten wrong passwords", "RTSP/Access/LockOut.swift",
            "limit > 0 && entry.count >= limit && !isForgotten(entry, limits, at: now)",
            "403 and when to come again, the right one included; other addresses notice nothing", .users
        ) { target in
            let address = target.freshAddress()
            try lockOut(address, of: target)
            let answer = try target.connect(from: address).request("DESCRIBE", target.url()).expect(403)
            try hold(answer.header("Retry-After") != nil, answer.head)
            let knowing = try target.connect(from: address)
            knowing.login = { Digest(.viewer, answering: $2).authorization($0, $1) }
            try knowing.request("DESCRIBE", target.url()).expect(403)
            try target.logIn(from: target.freshAddress()).request("DESCRIBE", target.url()).expect(200)
        },
        Attack(
            "wrong passwords from many addresses, to have a lock-out forgotten", "RTSP/Access/LockOut.swift",
            "$0.key != .others && !isLockedOut($0.value, $0.key, limits, at: now)", "403 to the first still", .users
        ) { target in
            let address = target.freshAddress()
            try lockOut(address, of: target)
            for _ in 0..<2 {
                let others = try (0..<(Setting.guessingAddressLimit / 2 + 1)).map { _ in
                    let socket = try target.connect(from: target.freshAddress())
                    try sendGuess(on: socket, of: target)
                    return socket
                }
                for other in others { try other.expect(401) }
            }
            try target.connect(from: address).request("DESCRIBE", target.url()).expect(403)
        },
        Attack(
            "locking out who is logged in, from the same address", "RTSP/Access/Authenticator.swift",
            "if let user, user == authenticatedUser { return }", "200 to them", .users
        ) { target in
            let address = target.freshAddress()
            let viewer = try target.logIn(from: address)
            try viewer.request("DESCRIBE", target.url()).expect(200)
            try lockOut(address, of: target)
            try viewer.request("DESCRIBE", target.url()).expect(200)
        },
        Attack(
            "filling the callback from one address", "Server/Access/CallbackQueue.swift",
            "guard counts[network, default: 0] < addressLimit else",
            "503 at once from the third request on; other addresses are admitted meanwhile", .callback
        ) { target in
            let address = target.freshAddress()
            let clients = try (0..<20).map { number in
                let client = try target.connect(from: address)
                client.send(client.text(of: "DESCRIBE", target.url("slow\(number)")))
                return client
            }
            let answers = clients.map { $0.response(within: 0.4) }
            try hold(answers.count { $0?.status == 503 } == 18, "\(answers.map { $0?.status ?? 0 })")
            let other = try target.connect(from: target.freshAddress())
            other.send(other.text(of: "DESCRIBE", target.url("yard/gate")))
            try other.expect(200, within: 1)
            for (client, answer) in zip(clients, answers) where answer == nil {
                try client.expect(503, within: 2 * Double(Target.callbackMilliseconds) / 1_000)
            }
        },
        Attack(
            "asking the callback again and again for what it refused", "Server/Access/CallbackQueue.swift",
            "now < end { return .refused }", "it is asked once a second", .callback
        ) { target in
            func askedCount() -> Int {
                target.webServer?.requests.count { $0.contains("\"path\":\"refused") } ?? 0
            }
            let client = try target.connect(from: target.freshAddress())
            let (start, before) = (ContinuousClock.now, askedCount())
            for _ in 0..<100 { try client.request("DESCRIBE", target.url("refused")).expect(403) }
            let seconds = Int((ContinuousClock.now - start) / .seconds(1))
            let count = askedCount() - before
            try hold((1...seconds + 1).contains(count), "\(count) times in \(seconds) s")
        },
    ]

    /// Ten wrong passwords, on one connection, and what came of the last.
    private static func lockOut(_ address: String, of target: Target) throws {
        let socket = try target.connect(from: address)
        let challenge = try socket.request("DESCRIBE", target.url()).expect(401).header("WWW-Authenticate") ?? ""
        for number in 1...10 {
            let digest = Digest(user: "viewer", password: "wrong\(number)", answering: challenge)
            let headers = ["Authorization": digest.authorization("DESCRIBE", target.url())]
            try socket.request("DESCRIBE", target.url(), headers).expect(401)
        }
    }

    /// One wrong password, whose answer is not waited for.
    private static func sendGuess(on socket: RTSPSocket, of target: Target) throws {
        let challenge = try socket.request("DESCRIBE", target.url()).header("WWW-Authenticate") ?? ""
        let digest = Digest(user: "viewer", password: "wrong", answering: challenge)
        let headers = ["Authorization": digest.authorization("DESCRIBE", target.url())]
        socket.send(socket.text(of: "DESCRIBE", target.url(), headers))
    }

    /// One wrong password for somebody, and how long its answer took.
    private static func guess(as name: String, _ target: Target) throws -> (head: String, time: Duration) {
        let socket = try target.connect(from: target.freshAddress())
        let challenge = try socket.request("DESCRIBE", target.url()).header("WWW-Authenticate") ?? ""
        let digest = Digest(user: name, password: "wrong", answering: challenge)
        let start = ContinuousClock.now
        let headers = ["Authorization": digest.authorization("DESCRIBE", target.url())]
        let answer = try socket.request("DESCRIBE", target.url(), headers).expect(401)
        return (answer.head, ContinuousClock.now - start)
    }
}
