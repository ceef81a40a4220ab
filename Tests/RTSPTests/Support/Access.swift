import COpenSSL
import Synchronization
import TestSupport
import Testing

@testable import RTSP

extension HashFunctions {
    /// The real functions, except that key derivation is a single hash, which is enough for tests.
    static let real: Self = {
        if let failure = apus_load_libcrypto() { Issue.record("\(String(cString: failure))") }
        return Self(
            md5: { hash($0, 16, by: apus_md5) }, sha256: { hash($0, 32, by: apus_sha256) },
            stretched: { hash($1 + $0, 32, by: apus_sha256) }, isSame: { apus_is_same($0, $1, $0.count) })
    }()

    private static func hash(
        _ bytes: [UInt8], _ count: Int,
        by function: (UnsafePointer<UInt8>, Int, UnsafeMutablePointer<UInt8>) -> Bool
    ) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: count)
        #expect(function(bytes, bytes.count, &digest))
        return digest
    }

    /// The real functions; `log` records the number of bytes of each call.
    static func counting(in log: WorkLog) -> Self {
        Self(
            md5: {
                log.note($0.count)
                return real.md5($0)
            },
            sha256: {
                log.note($0.count)
                return real.sha256($0)
            },
            stretched: {
                log.note($0.count + $1.count)
                return real.stretched($0, $1)
            }, isSame: { real.areEqual($0, $1) })
    }
}

/// A log of hash computations, as numbers of bytes.
final class WorkLog: Sendable {
    private let counts = Mutex<[Int]>([])

    func note(_ count: Int) { counts.withLock { $0.append(count) } }

    func takeAll() -> [Int] {
        counts.withLock { counts in
            defer { counts = [] }
            return counts
        }
    }
}

/// Random numbers that are the same in each run. Each call returns a new one.
final class RandomNumbers: Sendable {
    private let generator: Mutex<SplitMix64>

    init(seed: UInt64) {
        generator = Mutex(SplitMix64(seed: seed))
    }

    func next() -> UInt64 { generator.withLock { $0.next() } }
}

extension GuessLimits {
    /// No limits on guessing.
    static let free = Self(guessCount: 0, delayMilliseconds: 0)

    init(
        guessCount: Int, networkGuessCount: Int = 40, lockOutSeconds: Int = 300, delayMilliseconds: Int = 0,
        addressCount: Int = 4_096
    ) {
        self.init()
        self.guessCount = guessCount
        self.networkGuessCount = networkGuessCount
        self.lockOutSeconds = lockOutSeconds
        self.delayMilliseconds = delayMilliseconds
        self.addressCount = addressCount
    }
}

extension AccessPolicy {
    /// `ann` may watch all paths, `bob` may watch `/yard/…`, and `key` can log in only by Basic.
    static func test(
        _ algorithm: DigestAlgorithm = .md5, addresses: AddressRules = .init(), nonceSeconds: Int = 600,
        guessing: GuessLimits = .free, hashes: HashFunctions = .real
    ) -> Self {
        let numbers = RandomNumbers(seed: 7)
        let all = PathPattern("*").map { [$0] } ?? []
        let yard = PathPattern("yard/*").map { [$0] } ?? []
        let salt: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        let bob = HashFunctions.real.digestSecret(algorithm, user: "bob", realm: "Apus", password: "garden")
        return AccessPolicy(
            realm: "Apus", algorithm: algorithm,
            users: [
                User(name: "ann", secret: .password("sesame"), rights: [.read: all, .control: all]),
                User(name: "bob", secret: .digest(bob), rights: [.read: yard]),
                User(
                    name: "key",
                    secret: .salted(salt: salt, key: HashFunctions.real.stretched(Array("lock".utf8), salt)),
                    rights: [.read: all]),
            ], addresses: addresses, nonceSeconds: nonceSeconds, guessing: guessing,
            hashes: { hashes }, random: numbers.next)
    }
}

extension DigestChallenge {
    /// Reads the only challenge of a response, by position, as live555 does.
    init?(_ response: Response?) {
        guard let values = response?.headers.values(of: .wwwAuthenticate), values.count == 1,
            let match = values[0].wholeMatch(
                of: /Digest realm="([^"]*)", nonce="([^"]*)"(, stale=true)?(, algorithm=SHA-256, qop="auth")?/)
        else { return nil }
        self.init(
            realm: String(match.1), nonce: String(match.2), algorithm: match.4 == nil ? .md5 : .sha256,
            isStale: match.3 != nil)
    }
}

extension Dialogue {
    /// Sends a request with credentials for `challenge`.
    @discardableResult
    mutating func ask(
        _ method: RTSP.Method, _ url: String = Dialogue.url, _ headers: Headers = [:], body: [UInt8] = [],
        as user: String, password: String, answering challenge: DigestChallenge, uri: String? = nil,
        count: UInt32? = nil
    ) -> Response? {
        let credentials = DigestCredentials(
            answering: challenge, user: user, password: password, method: method, uri: uri ?? url,
            protection: count.flatMap {
                .init(countDigits: Digits.hexadecimal($0, count: 8), clientNonce: "c")
            }, hashes: .real)
        var headers = headers
        headers[.authorization] = credentials.headerValue
        return ask(method, url, headers, body: body)
    }

    /// The reported access failures.
    var accessFailures: [AccessFailure] {
        orders.compactMap { if case .accessRefused(let failure) = $0 { failure } else { nil } }
    }
}
