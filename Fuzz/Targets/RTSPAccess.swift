import Fuzzing
import Media
import RTSP
import Wire

/// The server's state machine with users or an external authoriser: it requests actions only for clients that have given a right
/// password or were admitted, and rejects clients that have guessed too often.
///
/// Input: a byte that chooses TLS, SHA-256 and the external authoriser, then a script: lines of text are received; bytes below 32
/// authenticate, guess, decide, let time pass, and change permissions.
@Sendable func fuzzRTSPAccess(_ input: [UInt8]) {
    var script = Script(input)
    var run = AccessRun(script.byte())
    while !script.isAtEnd, run.steps < 500 { run.step(&script) }
    run.end()
}

private struct AccessRun {
    var steps = 0
    private let algorithm: DigestAlgorithm
    private let lockOut = LockOut()
    private var connection: ServerConnection
    private var now = MonotonicTime(nanoseconds: 1_000_000_000)
    private var said = Parser()
    private var challenge: DigestChallenge?
    private var guessCount = 0
    /// The pending requests to the external authoriser.
    private var undecided: RequestID?
    /// Whether the machine ever got a right password or an admission, or admits all clients.
    private var mayOrder = false

    init(_ choice: UInt8) {
        algorithm = choice & 2 == 0 ? .md5 : .sha256
        connection = ServerConnection(
            configuration: .init(), access: choice & 4 == 0 ? .fuzzed(algorithm) : .decidedElsewhere, lockOut: lockOut,
            peer: Endpoint(address: "192.0.2.7", isLoopback: false),
            local: Endpoint(address: "192.0.2.1", isLoopback: false), security: choice & 1 == 0 ? .clear : .tls, at: now
        )
    }

    mutating func step(_ script: inout Script) {
        steps += 1
        let operation = script.byte()
        switch operation {
        case 0x20...0xFF: receive([operation] + script.line())
        case 0: receive(script.chunk())
        case 1: ask(as: "ann", AccessPolicy.password, for: script.byte())
        case 2: ask(as: "bob", AccessPolicy.password, for: script.byte())
        case 3: ask(as: "ann", "wrong", for: script.byte())
        case 4: now = now.advanced(byMilliseconds: Int64(script.uint16()) * 16)
        case 5: connection.deadlinePassed(at: now)
        case 6: connection.accessChanged(to: .fuzzed(algorithm, without: "ann"), paths: [:], at: now)
        case 7: connection.accessChanged(to: .fuzzed(algorithm), paths: [:], at: now)
        case 8:
            mayOrder = true
            connection.accessChanged(to: nil, paths: [:], at: now)
        case 11: decide([.admitted, .refused, .unavailable][Int(script.byte()) % 3])
        default: receive([operation])
        }
        drain()
    }

    mutating func end() {
        connection.shuttingDown()
        drain()
        require(connection.isClosed, "a server that shuts down closes")
    }

    private mutating func receive(_ bytes: [UInt8]) { connection.received(bytes.rawSpan, at: now) }

    /// Sends a request with credentials for the last challenge.
    private mutating func ask(as user: String, _ password: String, for choice: UInt8) {
        let url = choice & 1 == 0 ? "rtsp://h/cam" : "rtsp://h/yard/gate"
        let (method, transport): (Method, String) =
            choice & 2 == 0 ? (.describe, "") : (.setUp, "Transport: RTP/AVP;unicast;client_port=5000-5001\r\n")
        guard let challenge else { return receive(Array("DESCRIBE \(url) RTSP/1.0\r\nCSeq: 1\r\n\r\n".utf8)) }
        if password == AccessPolicy.password { mayOrder = true }
        let credentials = DigestCredentials(
            answering: challenge, user: user, password: password, method: method, uri: url,
            protection: .init(countDigits: "0000000\(choice & 4 == 0 ? 1 : 2)", clientNonce: "c"), hashes: .folding)
        let head = "\(method.rawValue) \(url) RTSP/1.0\r\nCSeq: 2\r\n\(transport)"
        receive(Array("\(head)Authorization: \(credentials.headerValue)\r\n\r\n".utf8))
    }

    private mutating func decide(_ decision: AccessDecision) {
        guard let id = undecided else { return }
        undecided = nil
        if decision == .admitted { mayOrder = true }
        connection.decided(id, decision, at: now)
    }

    private mutating func drain() {
        takeActions()
        while connection.hasUnprocessedMessages {
            connection.continueProcessing(at: now)
            takeActions()
        }
    }

    private mutating func takeActions() {
        while let action = connection.nextAction() {
            switch action {
            case .send(let bytes): read(bytes)
            case .describe(let id, _):
                require(mayOrder, "only an authenticated client gets a description")
                connection.described(id, .failure(Refusal(.notFound)), at: now)
            case .setUp(let id, let request):
                require(mayOrder, "only an authenticated client sets up a session")
                set(up: request, id)
            case .play(let id, _): connection.played(id, .failure(Refusal(.notFound)), at: now)
            case .addressLockedOut:
                require(guessCount >= GuessLimits().guessCount, "a lock-out follows enough guesses")
            case .decide(let id, let question):
                require(
                    question.path == "/" || question.path.utf8.first != UInt8(ascii: "/"),
                    "a path is named as in the configuration; `/` is the root path")
                undecided = id
            case .accessRefused(.wrongCredentials), .accessRefused(.deniedExternally(countsAsGuess: true)):
                guessCount += 1
            case .accessRefused(let failure): require(!"\(failure)".isEmpty, "a refusal has a reason")
            case .announce(let id, _):
                require(mayOrder, "only an authenticated client announces a stream")
                connection.announced(id, .failure(Refusal(.notFound)), at: now)
            case .setUpPublisher(let id, _):
                require(mayOrder, "only an authenticated client sets up a session")
                _ = connection.setUp(id, .failure(Refusal(.unsupportedTransport)), at: now)
            case .record(let id, _): connection.recorded(id, Refusal(.notFound), at: now)
            case .startSending, .pause, .tearDown, .receivedInterleaved, .close: break
            }
        }
    }

    private mutating func set(up request: SetUpRequest, _ id: RequestID) {
        guard case .udp(let ports, let profile)? = request.offers.first else {
            _ = connection.setUp(id, .failure(Refusal(.unsupportedTransport)), at: now)
            return
        }
        let transport = TransportAnswer.udp(
            clientPorts: ports, serverPorts: PortPair(rtp: 6970, rtcp: 6971), ssrc: 7, profile: profile)
        let answer = SetUpAnswer(transport, freshSession: SessionID(random: UInt64(steps), 7), streamID: 7)
        _ = connection.setUp(id, .success(answer), at: now)
    }

    /// Stores the challenge of a response; there is at most one.
    private mutating func read(_ bytes: [UInt8]) {
        said.append(bytes.rawSpan)
        // The response to an HTTP client is not RTSP, and is the last.
        while case .response(let response)? = try? said.next() {
            let challenges = response.headers.values(of: "WWW-Authenticate")
            require(challenges.count == (response.status == .unauthorized ? 1 : 0), "a 401 has one challenge")
            guard let text = challenges.first, text.hasPrefix("Digest ") else { continue }
            let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
            require(parts.count > 3, "realm and nonce come first: \(text)")
            challenge = DigestChallenge(realm: String(parts[1]), nonce: String(parts[3]), algorithm: algorithm)
        }
    }
}

extension AccessPolicy {
    /// A password that is never guessed.
    fileprivate static let password = "kP4-trL_9w.Zx7Qe"

    /// `ann` may play all paths, `bob` `/yard/…`; `key` can use Basic only.
    fileprivate static func fuzzed(_ algorithm: DigestAlgorithm, without leaver: String? = nil) -> AccessPolicy {
        let patterns = ["*", "yard/*"].compactMap { PathPattern($0) }
        let salt = [UInt8](repeating: 7, count: 16)
        let digest = HashFunctions.folding.digestSecret(algorithm, user: "bob", realm: "Apus", password: password)
        let users = [
            User(name: "ann", secret: .password(password), rights: [.read: [patterns[0]]]),
            User(name: "bob", secret: .digest(digest), rights: [.read: [patterns[1]]]),
            User(
                name: "key",
                secret: .salted(salt: salt, key: HashFunctions.folding.stretched(Array("lock-\(password)".utf8), salt)),
                rights: [.read: [patterns[0]]]),
        ]
        return AccessPolicy(
            realm: "Apus", algorithm: algorithm, users: users.filter { $0.name != leaver },
            nonceSeconds: 60, hashes: { .folding }, random: { 0x0123_4567_89AB_CDEF })
    }

    /// The external authoriser knows all users.
    fileprivate static let decidedElsewhere = AccessPolicy(
        realm: "Apus", users: [], exemptPaths: [], hashes: { nil }, random: { 0x0123_4567_89AB_CDEF })
}
