import Media
import TestSupport
import Testing

@testable import RTSP

/// Nonces that are valid on all connections of a client's address.
struct ServerNoncesTests {
    private let nonces = ServerNonces(random: RandomNumbers(seed: 1).next)
    private let start = MonotonicTime(nanoseconds: 5_000_000_000)

    private func credentials(_ nonce: String, count: UInt32?) -> DigestCredentials {
        DigestCredentials(
            answering: DigestChallenge(realm: "Apus", nonce: nonce), user: "ann", password: "sesame",
            method: Method(rawValue: "GET"), uri: "/",
            protection: count.flatMap {
                .init(countDigits: Digits.hexadecimal($0, count: 8), clientNonce: "c")
            }, hashes: .real)
    }

    private func admits(_ nonce: String, _ count: UInt32?, from address: String = "192.0.2.7", after seconds: Int = 0)
        -> Bool
    {
        nonces.admits(
            credentials(nonce, count: count), from: address, withinSeconds: 600,
            at: start.advanced(byMilliseconds: Int64(seconds) * 1000), .real)
    }

    private func nonce(_ address: String = "192.0.2.7", after seconds: Int = 0) -> String {
        nonces.text(for: address, at: start.advanced(byMilliseconds: Int64(seconds) * 1000), .real)
    }

    @Test func eachCountIsAcceptedOnce() {
        let nonce = nonce()
        #expect(admits(nonce, 1))
        #expect(!admits(nonce, 1))
        // A browser sends requests over several connections, so they arrive in another order.
        #expect(admits(nonce, 4) && admits(nonce, 3) && admits(nonce, 2))
        #expect(!admits(nonce, 3) && !admits(nonce, 4))
        #expect(admits(nonce, 100))
        #expect(!admits(nonce, 36), "too old to tell whether it was accepted before")
        #expect(admits(nonce, 37) && !admits(nonce, 37))
        #expect(admits(nonce, .max) && !admits(nonce, 101))
    }

    @Test func countsMatchAnIndependentRecord() {
        var random = SplitMix64(seed: 3)
        let nonce = nonce()
        var (accepted, highest): (Set<UInt32>, UInt32) = ([], 0)
        for _ in 0..<2_000 {
            let count = UInt32(
                clamping: Int64(highest)
                    + Int64.random(in: -70...(Bool.random(using: &random) ? 3 : 90), using: &random))
            let isExpected = count > highest || highest - count < 64 && !accepted.contains(count)
            #expect(admits(nonce, count) == isExpected, "\(count) after \(highest)")
            accepted.insert(count)
            highest = max(highest, count)
        }
    }

    @Test func aNonceNeedsACount() {
        #expect(!admits(nonce(), nil))
    }

    @Test func aNonceIsValidAtItsAddressForItsLifetime() {
        let nonce = nonce()
        #expect(!admits(nonce, 1, from: "192.0.2.8"))
        #expect(!admits(nonce, 1, after: 600))
        #expect(admits(nonce, 1, after: 599))
    }

    @Test func onlyThisProcessMakesNonces() {
        let nonce = nonce()
        for place in nonce.indices {
            let other =
                String(nonce[..<place]) + (nonce[place] == "0" ? "1" : "0") + nonce[nonce.index(after: place)...]
            #expect(!admits(other, 1))
        }
        for text in ["", "0", String(nonce.dropLast()), nonce + "0", String(repeating: "+", count: 64)] {
            #expect(!admits(text, 1))
        }
        let others = ServerNonces(random: RandomNumbers(seed: 2).next)
        #expect(!admits(others.text(for: "192.0.2.7", at: start, .real), 1))
        #expect(admits(nonce, 1))
    }

    /// If the table is full, the oldest nonce is forgotten, and is then refused, because its counts are unknown.
    @Test func aForgottenNonceIsNotAcceptedAgain() {
        let first = nonce()
        #expect(admits(first, 1))
        for number in 1...ServerNonces.capacity { #expect(admits(nonce(after: number % 500 + 1), 1, after: 501)) }
        #expect(!admits(first, 1) && !admits(first, 2))
        #expect(admits(nonce(after: 501), 1, after: 501))
    }
}
