import Media
import TestSupport
import Testing

@testable import RTSP

/// Lockout of addresses that guess passwords, without effect on other clients.
struct LockOutTests {
    private static let limits = GuessLimits(guessCount: 10, delayMilliseconds: 500)
    private static let other = Endpoint(address: "192.0.2.8", isLoopback: false)

    private func seconds(_ count: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: count * 1_000_000_000) }

    // MARK: - The table

    @Test func theTenthWrongPasswordLocksOutOnlyItsAddress() {
        let lockOut = LockOut()
        let addresses = ["192.0.2.7", "192.0.2.8", "2001:db8::7", "2001:db8::8"].map { IPAddress($0) } + [nil]
        for address in addresses {
            for count in 1...10 {
                #expect(lockOut.secondsLeft(for: address, within: Self.limits, at: seconds(5)) == nil)
                #expect(lockOut.countGuess(address, within: Self.limits, at: seconds(5)) == (count == 10))
            }
            #expect(lockOut.secondsLeft(for: address, within: Self.limits, at: seconds(5)) == 300)
        }
    }

    @Test func aLockOutEndsAndTheCountRestarts() {
        let lockOut = LockOut()
        let address = IPAddress("192.0.2.7")
        for _ in 1...10 { _ = lockOut.countGuess(address, within: Self.limits, at: seconds(5)) }
        #expect(lockOut.secondsLeft(for: address, within: Self.limits, at: seconds(304)) == 1)
        #expect(lockOut.secondsLeft(for: address, within: Self.limits, at: seconds(305)) == nil)
        for count in 1...10 {
            #expect(lockOut.countGuess(address, within: Self.limits, at: seconds(305)) == (count == 10))
        }
    }

    @Test func rareWrongPasswordsAreForgotten() {
        let lockOut = LockOut()
        for round in 0..<100 as Range<Int64> {
            #expect(!lockOut.countGuess(IPAddress("192.0.2.7"), within: Self.limits, at: seconds(300 * round)))
        }
    }

    @Test func aFullTableDropsTheOldestAddress() {
        let lockOut = LockOut()
        let limits = GuessLimits(guessCount: 2, addressCount: 16)
        for number in 0..<100 as Range<UInt32> {
            #expect(!lockOut.countGuess(.ipv4(number), within: limits, at: seconds(Int64(number))))
        }
        // The second wrong password locks an address out if the first one is still counted.
        let remembered = (84..<100 as Range<UInt32>).filter {
            lockOut.countGuess(.ipv4($0), within: limits, at: seconds(100))
        }
        #expect(remembered == Array(84..<100))
    }

    @Test func aFloodOfOtherAddressesDoesNotEndALockOut() {
        let lockOut = LockOut()
        let limits = GuessLimits(guessCount: 2, addressCount: 16)
        let guesser = IPAddress("192.0.2.7")
        for _ in 1...2 { _ = lockOut.countGuess(guesser, within: limits, at: seconds(5)) }
        for number in 0..<1_000 as Range<UInt32> {
            _ = lockOut.countGuess(.ipv4(number), within: limits, at: seconds(6))
        }
        #expect(lockOut.secondsLeft(for: guesser, within: limits, at: seconds(6)) == 299)
        #expect(lockOut.secondsLeft(for: IPAddress("192.0.2.8"), within: limits, at: seconds(6)) == nil)
    }

    @Test func whileAllEntriesAreLockedOutFurtherAddressesAreCountedTogether() {
        let lockOut = LockOut()
        let limits = GuessLimits(guessCount: 2, addressCount: 16)
        for number in 0..<16 as Range<UInt32> {
            for _ in 1...2 { _ = lockOut.countGuess(.ipv4(number), within: limits, at: seconds(5)) }
        }
        #expect(!lockOut.countGuess(.ipv4(100), within: limits, at: seconds(6)))
        #expect(lockOut.countGuess(.ipv4(101), within: limits, at: seconds(6)))
        #expect(lockOut.secondsLeft(for: .ipv4(102), within: limits, at: seconds(6)) == 300)
        #expect(lockOut.secondsLeft(for: .ipv4(0), within: limits, at: seconds(6)) == 299)
        // Afterwards the table has room again.
        #expect(!lockOut.countGuess(.ipv4(102), within: limits, at: seconds(306)))
        #expect(lockOut.secondsLeft(for: .ipv4(103), within: limits, at: seconds(306)) == nil)
    }

    @Test func theAddressesOfOneIPv6NetworkAreAlsoCountedTogether() {
        let lockOut = LockOut()
        let limits = GuessLimits(guessCount: 10, networkGuessCount: 40)
        let network = UInt128(0x2001_0db8_0000_0007) << 64
        for number in 1...40 as ClosedRange<UInt128> {
            #expect(
                lockOut.countGuess(.ipv6(network | number), within: limits, at: seconds(5)) == (number == 40),
                "each address has countGuess once")
        }
        #expect(lockOut.secondsLeft(for: .ipv6(network | 99), within: limits, at: seconds(5)) == 300)
        #expect(lockOut.secondsLeft(for: .ipv6(network + (1 << 64) | 99), within: limits, at: seconds(5)) == nil)
        #expect(lockOut.secondsLeft(for: IPAddress("192.0.2.7"), within: limits, at: seconds(5)) == nil)
    }

    @Test func theTableEqualsOneTablePerAddress() {
        var random = SplitMix64(seed: 11)
        let limits = GuessLimits(guessCount: 3, lockOutSeconds: 20)
        let (together, alone) = (LockOut(), (0..<8).map { _ in LockOut() })
        var now = seconds(1)
        for _ in 0..<3_000 {
            now = now.advanced(byMilliseconds: .random(in: 0...4_000, using: &random))
            let index = Int.random(in: 0..<8, using: &random)
            let address = IPAddress.ipv6(UInt128(index) << 64)
            let left = together.secondsLeft(for: address, within: limits, at: now)
            #expect(left == alone[index].secondsLeft(for: address, within: limits, at: now))
            guard left == nil else { continue }
            #expect(
                together.countGuess(address, within: limits, at: now)
                    == alone[index].countGuess(address, within: limits, at: now))
        }
    }

    // MARK: - Connections

    private func challenge(_ dialogue: inout Dialogue) throws -> DigestChallenge {
        try #require(DigestChallenge(dialogue.ask(.describe)))
    }

    /// Sends `count` wrong passwords, each on its own connection.
    private func guess(_ count: Int, _ policy: AccessPolicy, _ lockOut: LockOut) throws {
        for _ in 0..<count {
            var dialogue = Dialogue(access: policy, lockOut: lockOut)
            let challenge = try challenge(&dialogue)
            dialogue.ask(.describe, as: "ann", password: "guess!", answering: challenge)
            dialogue.pass(milliseconds: 500)
            #expect(String(decoding: dialogue.sent, as: UTF8.self).count(of: "401 Unauthorized") == 2)
        }
    }

    @Test func theResponseToAWrongPasswordDelaysLaterRequests() throws {
        var dialogue = Dialogue(access: .test(guessing: Self.limits))
        let challenge = try challenge(&dialogue)
        dialogue.ask(.describe, as: "ann", password: "guess!", answering: challenge)
        dialogue.ask(.options)
        let before = dialogue.sent.count
        dialogue.pass(milliseconds: 499)
        #expect(dialogue.sent.count == before)
        dialogue.pass(milliseconds: 1)
        let text = String(decoding: dialogue.sent.dropFirst(before), as: UTF8.self)
        #expect(
            text.hasPrefix("RTSP/1.0 401 Unauthorized\r\nCSeq: 2\r\n") && text.contains("\r\n\r\nRTSP/1.0 200 OK\r\n"))
        #expect(dialogue.ask(.describe, as: "ann", password: "sesame", answering: challenge)?.status == .ok)
    }

    @Test func aLockedOutAddressIsRefusedEvenWithTheCorrectPassword() throws {
        let (policy, lockOut) = (AccessPolicy.test(guessing: Self.limits), LockOut())
        var before = Dialogue(access: policy, lockOut: lockOut)
        let early = try challenge(&before)
        try guess(10, policy, lockOut)
        var dialogue = Dialogue(access: policy, lockOut: lockOut)
        for url in [Dialogue.url, "rtsp://h/none", "*"] {
            let response = dialogue.ask(.describe, url)
            #expect(response?.status == .forbidden)
            #expect(response?.headers[.retryAfter].flatMap { Int($0) } == 300)
            #expect(response?.headers[.wwwAuthenticate] == nil)
        }
        #expect(dialogue.ask(.options)?.status == .ok)
        #expect(before.ask(.describe, as: "ann", password: "sesame", answering: early)?.status == .forbidden)
        let satip = dialogue.ask(.setUp, "rtsp://ann:sesame@h/cam", SATIPAccessTests.transport)
        #expect(satip?.status == .forbidden)

        var stranger = Dialogue(access: policy, lockOut: lockOut, peer: Self.other)
        let own = try challenge(&stranger)
        #expect(stranger.ask(.describe, as: "ann", password: "sesame", answering: own)?.status == .ok)
    }

    /// Credentials that the server did not ask for.
    @Test(arguments: [
        "Basic YW5uOmd1ZXNz", "Digest", "Bearer x", "Digest username=ann",
        "Digest username=\"ann\", realm=\"Before\", nonce=\"n\", uri=\"u\", response=\"0123456789abcdef0123456789abcdef\"",
    ])
    func aLockedOutAddressGetsTheSameResponseToAnyCredentials(authorization: String) throws {
        let (policy, lockOut) = (AccessPolicy.test(guessing: Self.limits), LockOut())
        try guess(10, policy, lockOut)
        var dialogue = Dialogue(access: policy, lockOut: lockOut)
        let response = dialogue.ask(.describe, Dialogue.url, [.authorization: authorization])
        #expect(response?.status == .forbidden && response?.headers[.retryAfter] == "300")
        #expect(response?.headers[.wwwAuthenticate] == nil)
    }

    @Test func aLockedOutAddressGetsTheSameResponseToCredentialsInTheURL() throws {
        let lockOut = LockOut()
        let limits = GuessLimits(guessCount: 1)
        _ = lockOut.countGuess(IPAddress(Dialogue.peer.address), within: limits, at: Dialogue(access: nil).now)
        for exempt in [nil, []] as [[PathPattern]?] {
            let policy = AccessPolicy(
                realm: "Apus", users: [.init(name: "ann", secret: .password("sesame"), rights: [:])], guessing: limits,
                urlCredentials: .none, exemptPaths: exempt, hashes: { .real }, random: { 7 })
            var dialogue = Dialogue(access: policy, lockOut: lockOut)
            let response = dialogue.ask(.setUp, "rtsp://ann:sesame@h/cam", SATIPAccessTests.transport)
            #expect(response?.status == .forbidden && response?.headers[.retryAfter] != nil)
        }
    }

    /// GStreamer's rtspclientsink sends a wrong answer eight times within milliseconds.
    @Test func aRepeatedGuessCountsOnce() throws {
        var dialogue = Dialogue(access: .test(guessing: GuessLimits(guessCount: 3)))
        let challenge = try challenge(&dialogue)
        for password in ["one", "two"] {
            for _ in 0..<8 {
                let response = dialogue.ask(.describe, as: "ann", password: password, answering: challenge)
                #expect(response?.status == .unauthorized)
            }
        }
        #expect(dialogue.ask(.describe, as: "ann", password: "sesame", answering: challenge)?.status == .ok)
    }

    @Test func aLockOutIsReportedOnce() throws {
        let (policy, lockOut) = (AccessPolicy.test(guessing: GuessLimits(guessCount: 3)), LockOut())
        var dialogue = Dialogue(access: policy, lockOut: lockOut)
        let challenge = try challenge(&dialogue)
        dialogue.orders = []
        for guess in 0..<4 { dialogue.ask(.describe, as: "ann", password: "guess\(guess)", answering: challenge) }
        let wrong = AccessFailure.wrongCredentials(user: "ann")
        #expect(dialogue.accessFailures == [wrong, wrong, wrong, .lockedOut(seconds: 300)])
        #expect(dialogue.orders.filter { $0 == .addressLockedOut(seconds: 300) }.count == 1)
    }

    @Test func afterALockOutTheCorrectPasswordWorksAgain() throws {
        let (policy, lockOut) = (AccessPolicy.test(guessing: Self.limits), LockOut())
        try guess(10, policy, lockOut)
        var dialogue = Dialogue(access: policy, lockOut: lockOut)
        #expect(dialogue.ask(.describe)?.status == .forbidden)
        dialogue.now = dialogue.now.advanced(byMilliseconds: 301_000)
        let challenge = try challenge(&dialogue)
        #expect(dialogue.ask(.describe, as: "ann", password: "sesame", answering: challenge)?.status == .ok)
    }

    @Test func authenticatedClientsAreNotLockedOutByOthersOfTheSameAddress() throws {
        let (policy, lockOut) = (AccessPolicy.test(guessing: Self.limits), LockOut())
        var viewer = Dialogue(access: policy, lockOut: lockOut)
        let own = try challenge(&viewer)
        #expect(viewer.ask(.describe, as: "ann", password: "sesame", answering: own)?.status == .ok)
        var vlc = Dialogue(access: policy, lockOut: lockOut)
        let setUp = vlc.ask(.setUp, "rtsp://ann:sesame@h/cam", SATIPAccessTests.transport)
        let session = try #require(setUp?.headers[.session].flatMap(SessionHeader.init)?.id)
        try guess(10, policy, lockOut)
        #expect(viewer.ask(.describe, as: "ann", password: "sesame", answering: own)?.status == .ok)
        #expect(viewer.ask(.describe)?.status == .unauthorized)
        // The credentials of another user are a guess again.
        #expect(viewer.ask(.describe, as: "bob", password: "garden", answering: own)?.status == .forbidden)
        #expect(vlc.ask(.play, "rtsp://h/stream=1", [.session: session.text])?.status == .ok)
    }

    @Test func onlyWrongPasswordsAreCounted() throws {
        let (policy, lockOut) = (
            AccessPolicy.test(nonceSeconds: 10, guessing: GuessLimits(guessCount: 1)), LockOut()
        )
        var dialogue = Dialogue(access: policy, lockOut: lockOut)
        for _ in 0..<20 { #expect(dialogue.ask(.describe)?.status == .unauthorized) }
        let challenge = try challenge(&dialogue)
        dialogue.pass(milliseconds: 10_000)
        #expect(dialogue.ask(.describe, as: "ann", password: "sesame", answering: challenge)?.status == .unauthorized)
        let next = try self.challenge(&dialogue)
        #expect(dialogue.ask(.describe, as: "bob", password: "garden", answering: next)?.status == .unauthorized)
        let other = DigestChallenge(realm: "Before", nonce: next.nonce)
        #expect(dialogue.ask(.describe, as: "ann", password: "guess!", answering: other)?.status == .unauthorized)
        let elsewhere = dialogue.ask(.describe, as: "ann", password: "sesame", answering: next, uri: "rtsp://h/other")
        #expect(elsewhere?.status == .unauthorized)
        for useless in ["Basic YW5uOmd1ZXNz", "Digest", "Bearer x", "Digest username=ann"] {
            #expect(dialogue.ask(.describe, Dialogue.url, [.authorization: useless])?.status == .unauthorized)
        }
        #expect(dialogue.ask(.describe, as: "ann", password: "sesame", answering: next)?.status == .ok)
        // A wrong password counts for an unknown user, too.
        #expect(dialogue.ask(.describe, as: "zoe", password: "sesame", answering: next)?.status == .unauthorized)
        #expect(dialogue.orders.last == .addressLockedOut(seconds: 300))
    }

    @Test func wrongPasswordsInURLsCountLikeOthers() {
        let (policy, lockOut) = (AccessPolicy.test(guessing: GuessLimits(guessCount: 3)), LockOut())
        for count in 1...4 {
            var dialogue = Dialogue(access: policy, lockOut: lockOut)
            let response = dialogue.ask(.setUp, "rtsp://ann:guess\(count)@h/cam", SATIPAccessTests.transport)
            #expect(response?.status == (count < 4 ? .unauthorized : .forbidden))
        }
    }

    @Test func aChangeOfThePolicyKeepsTheCounts() throws {
        let (policy, lockOut) = (AccessPolicy.test(guessing: Self.limits), LockOut())
        var dialogue = Dialogue(access: policy, lockOut: lockOut)
        try guess(10, policy, lockOut)
        dialogue.connection.accessChanged(to: .test(guessing: Self.limits), paths: [:], at: dialogue.now)
        #expect(dialogue.ask(.describe)?.status == .forbidden)
    }

    @Test func afterAPasswordChangeFormerUsersCanBeLockedOut() throws {
        let numbers = RandomNumbers(seed: 3)
        func policy(_ password: String) throws -> AccessPolicy {
            AccessPolicy(
                realm: "Apus",
                users: [
                    .init(
                        name: "ann", secret: .password(password), rights: [.read: [try #require(PathPattern("*"))]])
                ], guessing: GuessLimits(guessCount: 2), hashes: { .real }, random: numbers.next)
        }
        var dialogue = Dialogue(access: try policy("sesame"))
        let challenge = try challenge(&dialogue)
        #expect(dialogue.ask(.describe, as: "ann", password: "sesame", answering: challenge)?.status == .ok)
        dialogue.connection.accessChanged(to: try policy("other!"), paths: [:], at: dialogue.now)
        for (method, status) in [
            (RTSP.Method.describe, StatusCode.unauthorized), (.play, .unauthorized), (.describe, .forbidden),
        ] {
            #expect(dialogue.ask(method, as: "ann", password: "sesame", answering: challenge)?.status == status)
        }
    }

    @Test func aClientThatDisconnectsDuringTheDelayIsClosedAfterIt() throws {
        var dialogue = Dialogue(access: .test(guessing: Self.limits))
        let challenge = try challenge(&dialogue)
        dialogue.ask(.describe, as: "ann", password: "guess!", answering: challenge)
        dialogue.connection.receivedEnd(at: dialogue.now)
        #expect(dialogue.closeReason == nil)
        dialogue.pass(milliseconds: 500)
        #expect(dialogue.closeReason == .peerClosed)
    }
}

extension String {
    /// The number of occurrences of `text`.
    fileprivate func count(of text: String) -> Int { ranges(of: text).count }
}
