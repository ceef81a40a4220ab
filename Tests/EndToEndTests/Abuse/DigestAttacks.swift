import TestSupport

/// Credentials that are almost right (RFC 2617, section 3.2; RFC 7616); most contain the right password.
extension Attack {
    static let digests: [Attack] = [
        Attack(
            "predicting a nonce", in: "RTSP/Access/ConnectionNonce.swift",
            guard: "Digits.hexadecimal(random(), count: 16) + Digits.hexadecimal(random(), count: 16)",
            effect: "128 random bits per connection", scope: .users
        ) { target in
            let nonces = try (0..<20).map { _ in try Challenged(target).right.nonce }
            try verify(Set(nonces).count == 20 && nonces.allSatisfy { $0.utf8.count == 32 }, "\(nonces)")
            let isRandomAtEveryPosition = (0..<32).allSatisfy { place in Set(nonces.map { Array($0)[place] }).count > 1
            }
            try verify(isRandomAtEveryPosition, "\(nonces)")
        },
        Attack(
            "credentials recorded on another connection", in: "RTSP/Access/ConnectionNonce.swift",
            guard: "credentials.nonce == current.text", effect: "401, stale", scope: .users
        ) { target in
            let overheard = try Challenged(target)
            try overheard.tries(overheard.right, expecting: 200)
            let replaying = try Challenged(target)
            let answer = try replaying.tries(overheard.right, expecting: 401)
            try verify(answer.header("WWW-Authenticate")?.contains("stale=true") == true, answer.head)
        },
        Attack(
            "the same nonce count again", in: "RTSP/Access/ConnectionNonce.swift",
            guard: "guard count > lastCount else",
            effect: "401, stale", scope: .users
        ) { target in
            let client = try Challenged(target)
            try client.tries(client.right(count: 7), expecting: 200)
            try client.tries(client.right(count: 8), expecting: 200)
            try client.tries(client.right(count: 8), expecting: 401)
        },
        Attack(
            "no nonce count after a nonce count", in: "RTSP/Access/ConnectionNonce.swift",
            guard: "else { return lastCount == 0 }", effect: "401",
            scope: .users
        ) { target in
            let client = try Challenged(target)
            try client.tries(client.right(count: 1), expecting: 200)
            try client.tries(client.right, expecting: 401)
        },
        Attack(
            "credentials for an expired challenge", in: "RTSP/Access/ConnectionNonce.swift",
            guard: "guard let current, now < current.expiry", effect: "401, stale", scope: .users, length: .patient
        ) { target in
            let client = try Challenged(target)
            try client.tries(client.right, expecting: 200)
            for _ in 0..<4 {
                pause(2.6)
                try client.socket.request("OPTIONS", "*").expect(200)
            }
            let answer = try client.tries(client.right, expecting: 401)
            try verify(answer.header("WWW-Authenticate")?.contains("stale=true") == true, answer.head)
        },
        wrong(
            "an algorithm that was not offered", in: "RTSP/Access/Authorization.swift",
            guard: #"DigestAlgorithm(named: parameters["algorithm"] ?? "MD5")"#
        ) { $0.more = ["algorithm=MD5-sess"] },
        wrong(
            "another quality of protection", in: "RTSP/Access/Authorization.swift",
            guard: #"guard quality.equalsIgnoringCase("auth")"#
        ) { ($0.count, $0.quality) = (1, "auth-int") },
        wrong(
            "a hashed user name", in: "RTSP/Access/Authorization.swift",
            guard: #"parameters["userhash"].map({ $0.equalsIgnoringCase("false") })"#
        ) { $0.more = ["userhash=true"] },
        wrong(
            "an invalid nonce count", in: "RTSP/Access/Authorization.swift", guard: "countDigits.utf8.count == 8"
        ) { $0.more = ["qop=auth", "nc=1", "cnonce=\"a\""] },
        wrong(
            "another realm", in: "RTSP/Access/Authenticator.swift", guard: "credentials.realm == policy.realm"
        ) { ($0.realm, $0.hashedRealm) = ("Other", "Apus") },
        wrong(
            "a parameter that occurs twice", in: "RTSP/Access/AuthenticationParameters.swift",
            guard: "values[name] == nil else"
        ) { $0.more = ["username=\"gardener\""] },
        Attack(
            "credentials of another method", in: "RTSP/Access/Authenticator.swift",
            guard: "secret: account.digestSecret, method: request.method", effect: "401", scope: .users
        ) { target in
            let client = try Challenged(target)
            try client.tries(client.right, as: ("DESCRIBE", "SETUP"), expecting: 401)
        },
        Attack(
            "credentials of another stream", in: "RTSP/Access/Authenticator.swift",
            guard: "guard credentials.isValid(for: request.target, request.url)", effect: "401", scope: .users
        ) { target in
            let client = try Challenged(target)
            let header = client.right.authorization("DESCRIBE", target.url("yard/gate"))
            try client.sends("DESCRIBE", [header], expecting: 401)
        },
        Attack(
            "Basic authentication", in: "RTSP/Access/Authenticator.swift",
            guard: "case .basic: throw refusal(of: .unusableCredentials, at: now)", effect: "401",
            scope: .usersInTheClear
        ) { target in
            // viewer:sesame77
            try Challenged(target).sends("DESCRIBE", ["Basic dmlld2VyOnNlc2FtZTc3"], expecting: 401)
        },
        Attack(
            "two Authorization headers", in: "RTSP/Access/Authenticator.swift",
            guard: "guard values.count == 1, let authorization", effect: "401", scope: .users
        ) { target in
            let client = try Challenged(target)
            let header = client.right.authorization("DESCRIBE", target.url())
            try client.sends("DESCRIBE", [header, header], expecting: 401)
        },
        Attack(
            "user and password in the URL of a client that supports Digest", in: "RTSP/Access/Authenticator.swift",
            guard: "if values.isEmpty, request.encapsulation == .transportStream", effect: "401", scope: .users
        ) { target in
            try target.connect().request("DESCRIBE", target.url(user: "viewer:sesame77@")).expect(401)
        },
    ]

    /// Creates an attack with right credentials changed by `change`.
    private static func wrong(
        _ name: String, in file: String, guard guardText: String, _ change: @escaping @Sendable (inout Digest) -> Void
    ) -> Attack {
        Attack(name, in: file, guard: guardText, effect: "401, not counted as a guess", scope: .users) { target in
            let client = try Challenged(target)
            var digest = client.right
            change(&digest)
            // More often than guesses are allowed.
            for _ in 0..<11 { try client.tries(digest, expecting: 401) }
            try client.tries(client.right, expecting: 200)
        }
    }
}

/// A challenged connection from a new address.
private struct Challenged {
    let socket: RTSPSocket
    private let target: Target
    private let challenge: String

    init(_ target: Target) throws {
        self.target = target
        socket = try target.connect(from: target.freshAddress())
        challenge = try socket.request("DESCRIBE", target.url()).expect(401).header("WWW-Authenticate") ?? ""
    }

    /// The right credentials.
    var right: Digest { Digest(.viewer, answering: challenge) }

    func right(count: UInt32) -> Digest {
        var digest = right
        digest.count = count
        return digest
    }

    /// - Parameter methods: The method in the credentials and the requested method.
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
