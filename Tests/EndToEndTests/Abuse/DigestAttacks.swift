import TestSupport

/// Answers to a challenge that are nearly right (RFC 2617, section 3.2; RFC 7616): most are made with the right password.
extension Attack {
    static let digests: [Attack] = [
        Attack(
            "foreseeing a nonce", "RTSP/Access/ConnectionNonce.swift",
            "Digits.hexadecimal(random(), count: 16) + Digits.hexadecimal(random(), count: 16)",
            "128 random bits for each connection", .users
        ) { target in
            let nonces = try (0..<20).map { _ in try Challenged(target).right.nonce }
            try hold(Set(nonces).count == 20 && nonces.allSatisfy { $0.utf8.count == 32 }, "\(nonces)")
            let isEverywhereRandom = (0..<32).allSatisfy { place in Set(nonces.map { Array($0)[place] }).count > 1 }
            try hold(isEverywhereRandom, "\(nonces)")
        },
        Attack(
            "what was overheard on another connection", "RTSP/Access/ConnectionNonce.swift",
            "credentials.nonce == current.text", "401, stale", .users
        ) { target in
            let overheard = try Challenged(target)
            try overheard.tries(overheard.right, expecting: 200)
            let replaying = try Challenged(target)
            let answer = try replaying.tries(overheard.right, expecting: 401)
            try hold(answer.header("WWW-Authenticate")?.contains("stale=true") == true, answer.head)
        },
        Attack(
            "the same count again, as of another place", "RTSP/Access/ConnectionNonce.swift",
            "guard count > lastCount else",
            "401, stale", .users
        ) { target in
            let client = try Challenged(target)
            try client.tries(client.right(count: 7), expecting: 200)
            try client.tries(client.right(count: 8), expecting: 200)
            try client.tries(client.right(count: 8), expecting: 401)
        },
        Attack(
            "no count after a count", "RTSP/Access/ConnectionNonce.swift", "else { return lastCount == 0 }", "401",
            .users
        ) { target in
            let client = try Challenged(target)
            try client.tries(client.right(count: 1), expecting: 200)
            try client.tries(client.right, expecting: 401)
        },
        Attack(
            "an answer to a challenge of long ago", "RTSP/Access/ConnectionNonce.swift",
            "guard let current, now < current.expiry", "401, stale", .users, .patient
        ) { target in
            let client = try Challenged(target)
            try client.tries(client.right, expecting: 200)
            for _ in 0..<4 {
                pause(2.6)
                try client.socket.request("OPTIONS", "*").expect(200)
            }
            let answer = try client.tries(client.right, expecting: 401)
            try hold(answer.header("WWW-Authenticate")?.contains("stale=true") == true, answer.head)
        },
        wrong(
            "an algorithm that was not asked for", "RTSP/Access/Authorization.swift",
            #"DigestAlgorithm(named: parameters["algorithm"] ?? "MD5")"#
        ) { $0.more = ["algorithm=MD5-sess"] },
        wrong(
            "another quality of protection", "RTSP/Access/Authorization.swift",
            #"guard quality.equalsIgnoringCase("auth")"#
        ) { ($0.count, $0.quality) = (1, "auth-int") },
        wrong(
            "a hashed name", "RTSP/Access/Authorization.swift",
            #"parameters["userhash"].map({ $0.equalsIgnoringCase("false") })"#
        ) { $0.more = ["userhash=true"] },
        wrong(
            "a count that is none", "RTSP/Access/Authorization.swift", "countDigits.utf8.count == 8"
        ) { $0.more = ["qop=auth", "nc=1", "cnonce=\"a\""] },
        wrong(
            "another realm", "RTSP/Access/Authenticator.swift", "credentials.realm == policy.realm"
        ) { ($0.realm, $0.hashedRealm) = ("Other", "Apus") },
        wrong(
            "a name twice", "RTSP/Access/AuthenticationParameters.swift", "values[name] == nil else"
        ) { $0.more = ["username=\"gardener\""] },
        Attack(
            "the answer for one method with another", "RTSP/Access/Authenticator.swift",
            "secret: account.digestSecret, method: request.message.method", "401", .users
        ) { target in
            let client = try Challenged(target)
            try client.tries(client.right, as: ("DESCRIBE", "SETUP"), expecting: 401)
        },
        Attack(
            "the answer for one stream with another", "RTSP/Access/Authenticator.swift",
            "guard credentials.isValid(for: request.message.target, request.url)", "401", .users
        ) { target in
            let client = try Challenged(target)
            let header = client.right.authorization("DESCRIBE", target.url("yard/gate"))
            try client.sends("DESCRIBE", [header], expecting: 401)
        },
        Attack(
            "a password in the clear", "RTSP/Access/Authenticator.swift",
            "case .basic: throw refusal(of: .unusableCredentials, at: now)", "401",
            .usersInTheClear
        ) { target in
            // viewer:sesame77
            try Challenged(target).sends("DESCRIBE", ["Basic dmlld2VyOnNlc2FtZTc3"], expecting: 401)
        },
        Attack(
            "two answers", "RTSP/Access/Authenticator.swift", "guard values.count == 1, let authorization", "401",
            .users
        ) { target in
            let client = try Challenged(target)
            let header = client.right.authorization("DESCRIBE", target.url())
            try client.sends("DESCRIBE", [header, header], expecting: 401)
        },
        Attack(
            "user and password in the URL of one who knows challenges", "RTSP/Access/Authenticator.swift",
            "if values.isEmpty, request.encapsulation == .transportStream", "401", .users
        ) { target in
            try target.connect().request("DESCRIBE", target.url(user: "viewer:sesame77@")).expect(401)
        },
    ]

    /// An answer with the right password, but for what `change` does to it.
    private static func wrong(
        _ name: String, _ file: String, _ guardian: String, _ change: @escaping @Sendable (inout Digest) -> Void
    ) -> Attack {
        Attack(name, file, guardian, "401, and it is no guess", .users) { target in
            let client = try Challenged(target)
            var digest = client.right
            change(&digest)
            // More often than one may guess.
            for _ in 0..<11 { try client.tries(digest, expecting: 401) }
            try client.tries(client.right, expecting: 200)
        }
    }
}

/// A connection from an address of its own that has been asked for credentials.
private struct Challenged {
    let socket: RTSPSocket
    private let target: Target
    private let challenge: String

    init(_ target: Target) throws {
        self.target = target
        socket = try target.connect(from: target.freshAddress())
        challenge = try socket.request("DESCRIBE", target.url()).expect(401).header("WWW-Authenticate") ?? ""
    }

    /// The right answer.
    var right: Digest { Digest(.viewer, answering: challenge) }

    func right(count: UInt32) -> Digest {
        var digest = right
        digest.count = count
        return digest
    }

    /// - Parameter methods: the one that is answered for, and the one that is asked.
    @discardableResult
    func tries(
        _ digest: Digest, as methods: (String, String) = ("DESCRIBE", "DESCRIBE"), expecting status: Int
    ) throws -> RTSPSocket.Response {
        try sends(methods.1, [digest.authorization(methods.0, target.url())], expecting: status)
    }

    @discardableResult
    func sends(_ method: String, _ headers: [String], expecting status: Int) throws -> RTSPSocket.Response {
        let lines = ["\(method) \(target.url()) RTSP/1.0", "CSeq: 1"] + headers.map { "Authorization: \($0)" }
        socket.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
        return try socket.expect(status)
    }
}
