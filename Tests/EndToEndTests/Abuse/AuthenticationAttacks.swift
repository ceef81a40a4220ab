import TestSupport

/// Attacks on authentication and authorisation.
extension Attack {
    static let authentication: [Attack] = [
        Attack(
            "every method without credentials", in: "RTSP/Access/Authenticator.swift",
            guard: "guard !values.isEmpty else {",
            effect: "401 with one challenge; OPTIONS 200", scope: .users
        ) { target in
            let socket = try target.connect()
            try socket.request("OPTIONS", target.url()).expect(200)
            let methods = ["DESCRIBE", "SETUP", "PLAY", "PAUSE", "TEARDOWN", "GET_PARAMETER", "SET_PARAMETER"]
            for method in methods + ["ANNOUNCE", "RECORD", "REDIRECT"] {
                let answer = try socket.request(method, target.url(), ["Transport": Target.interleaved(0)]).expect(401)
                try verify(answer.head.split(separator: "WWW-Authenticate:").count == 2, answer.head)
                let challenge = answer.header("WWW-Authenticate") ?? ""
                try verify(challenge.hasPrefix("Digest realm=\"Apus\", nonce=\""), challenge)
            }
        },
        Attack(
            "invalid requests without credentials, to learn from the error",
            in: "RTSP/Server/ServerConnection+Requests.swift",
            guard: "switch try authorise(request, validated, at: now) {", effect: "401", scope: .users
        ) { target in
            let socket = try target.connect()
            for (method, url) in [("BREW", target.url()), ("DESCRIBE", "nonsense"), ("PLAY", target.url("none"))] {
                try socket.request(method, url, ["Require": "nothing"]).expect(401)
            }
        },
        Attack(
            "searching for paths without permission", in: "RTSP/Access/Authenticator.swift",
            guard: "grant.admits(request.right, request.path", effect: "401, whether the path exists or not",
            scope: .users
        ) { target in
            let socket = try target.logIn(as: .gardener)
            try socket.request("DESCRIBE", target.url("yard/gate")).expect(200)
            let heads = try ["hall", "none", "yard", "%68all", "hall/track1"].map { path in
                try socket.request("DESCRIBE", target.url(path)).expect(401).head
                    .replacing(/CSeq: \d+/, with: "")
            }
            try verify(Set(heads).count == 1, "\(heads)")
        },
        Attack(
            "a path that begins with the name of a permitted one", in: "RTSP/Access/Grant.swift",
            guard: "return isWhole ? path == beginning : path.hasPrefix(beginning)", effect: "401", scope: .users
        ) { target in
            // A user with permission for `cam` has none for `cam-late`.
            try target.logIn(as: .watcher).request("DESCRIBE", target.url("cam-late")).expect(401)
        },
        Attack(
            "a path that differs from a permitted one in case, by SAT>IP", in: "RTSPServer/Server/PathDirectory.swift",
            guard: "$0.lowercased() == lowercased && grant.admits(.read, $0)", effect: "404", scope: .usersInTheClear
        ) { target in
            let url = target.url("cam", user: "typist:capital55@")
            let transport = ["Transport": "RTP/AVP;unicast;client_port=50950-50951"]
            try target.connect().request("SETUP", url, transport).expect(404)
        },
        Attack(
            "a denied address", in: "RTSP/Access/Authenticator.swift",
            guard: "guard policy.addresses.admits(address) else { throw .address }", effect: "403"
        ) { target in
            let socket = try target.connect(from: "127.0.0.13")
            for path in ["hall", "none"] { try socket.request("DESCRIBE", target.url(path)).expect(403) }
        },
        Attack(
            "a right password from an address that is not allowed for the user", in: "RTSP/Access/Authenticator.swift",
            guard: "guard user.addresses.admits(address),", effect: "401", scope: .users
        ) { target in
            try target.logIn(as: .neighbour, from: "127.0.0.7").request("DESCRIBE", target.url()).expect(200)
            try target.logIn(as: .neighbour).request("DESCRIBE", target.url()).expect(401)
        },
        Attack(
            "distinguishing users by the response or its time", in: "RTSP/Access/Accounts.swift",
            guard: "byName[name] ?? unknownUser",
            effect: "the same 401 after the same time", scope: .users
        ) { target in
            let answers = try ["viewer", "nobody"].map { name in try guess(as: name, target) }
            let heads = Set(
                answers.map { $0.head.replacing(/nonce="[^"]*"/, with: "").replacing(/CSeq: \d+/, with: "") })
            try verify(heads.count == 1, "\(heads)")
            let delay = Duration.milliseconds(Setting.wrongPasswordMilliseconds)
            try verify(answers.allSatisfy { $0.time >= delay }, "\(answers.map(\.time))")
        },
        Attack(
            "many wrong passwords at once", in: "RTSP/Server/ServerConnection+Access.swift",
            guard: "guard limits.delayMilliseconds > 0 else", effect: "each waits for the one before", scope: .users
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
            try verify(time >= .milliseconds(5 * Setting.wrongPasswordMilliseconds), "\(time)")
        },
        Attack(
            "ten wrong passwords", in: "RTSP/Access/LockOut.swift",
            guard: "limit > 0 && entry.count >= limit && !isForgotten(entry, limits, at: now)",
            effect: "403 with Retry-After, even for the right password; other addresses are not affected", scope: .users
        ) { target in
            let address = target.freshAddress()
            try lockOut(address, of: target)
            let answer = try target.connect(from: address).request("DESCRIBE", target.url()).expect(403)
            try verify(answer.header("Retry-After") != nil, answer.head)
            let knowing = try target.connect(from: address)
            knowing.login = { Digest(.viewer, answering: $2).authorization($0, $1) }
            try knowing.request("DESCRIBE", target.url()).expect(403)
            try target.logIn(from: target.freshAddress()).request("DESCRIBE", target.url()).expect(200)
        },
        Attack(
            "wrong passwords from many addresses, to evict a lock-out", in: "RTSP/Access/LockOut.swift",
            guard: "$0.key != .others && !isLockedOut($0.value, $0.key, limits, at: now)",
            effect: "still 403 for the first address", scope: .users
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
            "locking out an authenticated client of the same address", in: "RTSP/Access/Authenticator.swift",
            guard: "if let user, user == authenticatedUser { return }", effect: "200 for that client", scope: .users
        ) { target in
            let address = target.freshAddress()
            let viewer = try target.logIn(from: address)
            try viewer.request("DESCRIBE", target.url()).expect(200)
            try lockOut(address, of: target)
            try viewer.request("DESCRIBE", target.url()).expect(200)
        },
        Attack(
            "filling the callback queue from one address", in: "Server/Access/CallbackQueue.swift",
            guard: "guard counts[network, default: 0] < addressLimit else",
            effect: "503 at once from the third request on; other addresses are admitted meanwhile", scope: .callback
        ) { target in
            let address = target.freshAddress()
            let clients = try (0..<20).map { number in
                let client = try target.connect(from: address)
                client.send(client.text(of: "DESCRIBE", target.url("slow\(number)")))
                return client
            }
            let answers = clients.map { $0.response(within: 0.4) }
            try verify(answers.count { $0?.status == 503 } == 18, "\(answers.map { $0?.status ?? 0 })")
            let other = try target.connect(from: target.freshAddress())
            other.send(other.text(of: "DESCRIBE", target.url("yard/gate")))
            try other.expect(200, within: 1)
            for (client, answer) in zip(clients, answers) where answer == nil {
                try client.expect(503, within: 2 * Double(Target.callbackMilliseconds) / 1_000)
            }
        },
        Attack(
            "repeating a request that the callback refused", in: "Server/Access/CallbackQueue.swift",
            guard: "now < end { return .refused }", effect: "the callback is called once a second", scope: .callback
        ) { target in
            func askedCount() -> Int {
                target.webServer?.requests.count { $0.contains("\"path\":\"refused") } ?? 0
            }
            let client = try target.connect(from: target.freshAddress())
            let (start, before) = (ContinuousClock.now, askedCount())
            for _ in 0..<100 { try client.request("DESCRIBE", target.url("refused")).expect(403) }
            let seconds = Int((ContinuousClock.now - start) / .seconds(1))
            let count = askedCount() - before
            try verify((1...seconds + 1).contains(count), "\(count) calls in \(seconds) s")
        },
    ]

    /// Sends ten wrong passwords on one connection.
    private static func lockOut(_ address: String, of target: Target) throws {
        let socket = try target.connect(from: address)
        let challenge = try socket.request("DESCRIBE", target.url()).expect(401).header("WWW-Authenticate") ?? ""
        for number in 1...10 {
            let digest = Digest(user: "viewer", password: "wrong\(number)", answering: challenge)
            let headers = ["Authorization": digest.authorization("DESCRIBE", target.url())]
            try socket.request("DESCRIBE", target.url(), headers).expect(401)
        }
    }

    /// Sends one wrong password without waiting for the response.
    private static func sendGuess(on socket: RTSPSocket, of target: Target) throws {
        let challenge = try socket.request("DESCRIBE", target.url()).header("WWW-Authenticate") ?? ""
        let digest = Digest(user: "viewer", password: "wrong", answering: challenge)
        let headers = ["Authorization": digest.authorization("DESCRIBE", target.url())]
        socket.send(socket.text(of: "DESCRIBE", target.url(), headers))
    }

    /// Sends one wrong password for a user; returns the response and its delay.
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
