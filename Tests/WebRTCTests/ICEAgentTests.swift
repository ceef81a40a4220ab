import Media
import Testing
import Wire

@testable import WebRTC

@Suite struct ICEAgentTests {
    private let credentials = ICECredentials(random: [UInt8](repeating: 7, count: ICECredentials.randomByteCount))
    private let remote = ICECredentials(userFragment: "peer", password: "0123456789012345678901")!
    private let address = TransportAddress(host: .ipv4(0xC000_0201), port: 4_000)
    private let start = MonotonicTime(nanoseconds: 5)

    private func agent() -> ICEAgent<Int> { ICEAgent(credentials: credentials, remote: remote, at: start) }

    /// The number of the server's check of a path that the agent adopts now.
    private func number(of path: Int) -> STUNTransaction { .init(high: 77, low: UInt64(path)) }

    /// What the agent orders for a check of a peer.
    private func check(
        _ agent: inout ICEAgent<Int>, path: Int, seconds: Int64 = 0, _ more: [STUNAttribute] = [],
        password: String? = nil, fragment: String? = nil, peer: String = "peer", kind: STUNMessage.Kind = .request
    ) throws -> [ICEOrder<Int>] {
        let name = "\(fragment ?? credentials.userFragment):\(peer)"
        let message = STUNMessage(
            kind, transaction: .init(high: 1, low: UInt64(path)),
            attributes: [.userName(name), .priority(1), .controlling(9)] + more)
        let datagram = message.encoded(key: [UInt8]((password ?? credentials.password).utf8), authenticate: hmacSHA1)
        let read = try #require(STUNMessage(parsing: datagram))
        return agent.received(
            read, in: datagram, from: path, at: address, transaction: number(of: path),
            at: start.advanced(byMilliseconds: seconds * 1_000), authenticate: hmacSHA1)
    }

    /// What the agent orders for an answer of the peer to the server's check.
    ///
    /// - Parameters:
    ///   - number: by default the right one.
    ///   - password: by default the peer's; an empty one is left out.
    private func answer(
        _ agent: inout ICEAgent<Int>, path: Int, number: STUNTransaction? = nil, password: String? = nil,
        kind: STUNMessage.Kind = .success
    ) throws -> [ICEOrder<Int>] {
        let message = STUNMessage(
            kind, transaction: number ?? self.number(of: path), attributes: [.mappedAddress(address)])
        let key = [UInt8]((password ?? remote.password).utf8)
        let datagram = message.encoded(key: key.isEmpty ? nil : key, authenticate: hmacSHA1)
        let read = try #require(STUNMessage(parsing: datagram))
        return agent.received(
            read, in: datagram, from: path, at: address, transaction: .init(high: 0, low: 0), at: start,
            authenticate: hmacSHA1)
    }

    /// The peer checks a path, and answers the server's check of it.
    private func validate(_ agent: inout ICEAgent<Int>, path: Int, seconds: Int64 = 0) throws {
        _ = try check(&agent, path: path, seconds: seconds)
        _ = try answer(&agent, path: path)
    }

    /// The server's checks among the orders, which must be authentic.
    private func checks(_ orders: [ICEOrder<Int>]) throws -> [STUNMessage] {
        try orders.compactMap { order in
            guard case .send(let datagram, _) = order else { return nil }
            let message = try #require(STUNMessage(parsing: datagram))
            guard message.kind == .request else { return nil }
            let key = [UInt8](remote.password.utf8)
            #expect(message.isAuthentic(in: datagram, key: key, authenticate: hmacSHA1))
            return message
        }
    }

    /// The answers among the orders, which must be authentic.
    private func answers(_ orders: [ICEOrder<Int>]) throws -> [STUNMessage] {
        try orders.compactMap { order in
            guard case .send(let datagram, _) = order else { return nil }
            let message = try #require(STUNMessage(parsing: datagram))
            guard message.kind != .request else { return nil }
            let key = [UInt8](credentials.password.utf8)
            #expect(message.isAuthentic(in: datagram, key: key, authenticate: hmacSHA1))
            return message
        }
    }

    private func withoutMessages(_ orders: [ICEOrder<Int>]) -> [ICEOrder<Int>] {
        orders.filter { if case .send = $0 { false } else { true } }
    }

    @Test func theFirstValidCheckAdoptsAndSelectsThePath() throws {
        var agent = agent()
        #expect(!agent.owns(1) && agent.selectedPath == nil)
        let orders = try check(&agent, path: 1)
        #expect(withoutMessages(orders) == [.adopt(1), .select(1)])
        let answer = try #require(try answers(orders).first)
        #expect(answer.kind == .success && answer.attributes == [.mappedAddress(address)])
        #expect(agent.owns(1) && agent.selectedPath == 1)
        #expect(withoutMessages(try check(&agent, path: 1)) == [])
    }

    @Test func aNominatedPathIsSelectedWhenThePeerHasAnsweredThere() throws {
        var agent = agent()
        _ = try check(&agent, path: 1)
        let orders = try check(&agent, path: 2, [.useCandidate])
        #expect(withoutMessages(orders) == [.adopt(2)])
        let check = try #require(try checks(orders).first)
        #expect(check.transaction == number(of: 2))
        #expect(check.attributes.contains(.userName("peer:\(credentials.userFragment)")))
        #expect(check.attributes.contains(.controlled(0)) && !check.attributes.contains(.useCandidate))
        #expect(agent.selectedPath == 1)
        #expect(try answer(&agent, path: 2) == [.select(2)])
        #expect(try answer(&agent, path: 2) == [])
    }

    @Test func aValidatedPathIsSelectedWhenItIsNominated() throws {
        var agent = agent()
        _ = try check(&agent, path: 1)
        #expect(try checks(try check(&agent, path: 2)).count == 1)
        #expect(try answer(&agent, path: 2) == [])
        #expect(agent.selectedPath == 1)
        let orders = try check(&agent, path: 2, [.useCandidate])
        #expect(withoutMessages(orders) == [.select(2)] && orders.count == 2)
        #expect(withoutMessages(try check(&agent, path: 2, [.useCandidate])) == [])
    }

    /// A session's owner forges the source of a check. The host there does not answer, or without the number or the password.
    @Test func aPathWithoutAnAuthenticAnswerIsNotSelected() throws {
        var agent = agent()
        _ = try check(&agent, path: 1)
        for seconds: Int64 in 0..<60 {
            _ = try check(&agent, path: 1, seconds: seconds)
            let orders = try check(&agent, path: 2, seconds: seconds, [.useCandidate])
            #expect(withoutMessages(orders) == (seconds == 0 ? [.adopt(2)] : []))
            #expect(try answer(&agent, path: 2, number: number(of: 1)) == [])
            // A STUN server answers without integrity. The server's password is known to the owner, but not used by a client.
            #expect(try answer(&agent, path: 2, password: "") == [])
            #expect(try answer(&agent, path: 2, password: credentials.password) == [])
            #expect(try answer(&agent, path: 2, kind: .error) == [])
            #expect(try answer(&agent, path: 2, kind: .indication) == [])
            // The owner knows the number only if it receives at the path; an answer from elsewhere does not count.
            #expect(try answer(&agent, path: 1, number: number(of: 2)) == [])
            #expect(try answer(&agent, path: 3, number: number(of: 2)) == [])
            #expect(agent.selectedPath == 1)
        }
    }

    /// Only the handshake over it shows that the first path is the peer's, so it is selected again like any other.
    @Test func theFirstPathMustBeValidatedOnceItIsLeft() throws {
        var agent = agent()
        _ = try check(&agent, path: 1)
        try validate(&agent, path: 2)
        #expect(withoutMessages(try check(&agent, path: 2, [.useCandidate])) == [.select(2)])
        let orders = try check(&agent, path: 1, [.useCandidate])
        #expect(withoutMessages(orders) == [] && agent.selectedPath == 2)
        #expect(try checks(orders).count == 1)
        #expect(try answer(&agent, path: 1) == [.select(1)])
    }

    /// Clients of one path, such as FFmpeg, need not answer checks.
    @Test func theSelectedPathIsNotChecked() throws {
        var agent = agent()
        for seconds: Int64 in 0..<5 {
            #expect(try checks(try check(&agent, path: 1, seconds: seconds, [.useCandidate])).isEmpty)
        }
    }

    @Test func aCheckIsRepeatedUntilItIsAnswered() throws {
        var agent = agent()
        _ = try check(&agent, path: 1)
        for _ in 0..<3 {
            #expect(try checks(try check(&agent, path: 2)).map(\.transaction) == [number(of: 2)])
        }
        _ = try answer(&agent, path: 2)
        #expect(try checks(try check(&agent, path: 2)).isEmpty)
    }

    /// The names in both checks are as long, so a forged source gets no more bytes than the owner sends, apart from some of the answer.
    @Test func aPeerWithAnotherNameIsNotChecked() throws {
        var agent = agent()
        _ = try check(&agent, path: 1)
        #expect(try checks(try check(&agent, path: 2, peer: "p")).isEmpty)
    }

    @Test func aLaterNominationReplacesOneThatIsNotAnswered() throws {
        var agent = agent()
        _ = try check(&agent, path: 1)
        _ = try check(&agent, path: 2, [.useCandidate])
        _ = try check(&agent, path: 1, [.useCandidate])
        #expect(try answer(&agent, path: 2) == [] && agent.selectedPath == 1)
    }

    @Test func checksOfOthersGetNoAnswer() throws {
        var agent = agent()
        #expect(try check(&agent, path: 1, password: "another password of ICE").isEmpty)
        #expect(try check(&agent, path: 1, fragment: "other").isEmpty)
        #expect(try check(&agent, path: 1, kind: .indication).isEmpty)
        #expect(try check(&agent, path: 1, kind: .success).isEmpty)
        let message = STUNMessage(
            .request, transaction: .init(high: 1, low: 1), attributes: [.userName("\(credentials.userFragment):peer")])
        let datagram = message.encoded(key: nil, authenticate: hmacSHA1)
        let read = try #require(STUNMessage(parsing: datagram))
        #expect(
            agent.received(
                read, in: datagram, from: 1, at: address, transaction: number(of: 1), at: start, authenticate: hmacSHA1
            ).isEmpty)
        #expect(!agent.owns(1) && agent.selectedPath == nil)
    }

    @Test func aPeerThatIsControlledIsToldTheConflict() throws {
        var agent = agent()
        let orders = try check(&agent, path: 1, [.controlled(3)])
        #expect(try answers(orders).first?.attributes == [.errorCode(487, reason: "Role Conflict")])
        #expect(withoutMessages(orders) == [] && !agent.owns(1))
    }

    @Test func unknownRequiredAttributesAreNamed() throws {
        var agent = agent()
        let orders = try check(&agent, path: 1, [.other(type: 0x7777, [1]), .other(type: 0xC057, [2])])
        let answer = try #require(try answers(orders).first)
        #expect(answer.kind == .error && answer.attributes.contains(.unknownAttributes([0x7777])))
        #expect(answer.attributes.contains(.errorCode(420, reason: "Unknown Attribute")))
        #expect(!agent.owns(1))
        #expect(withoutMessages(try check(&agent, path: 1, [.other(type: 0xC057, [2])])).contains(.adopt(1)))
    }

    /// An answer to a check that was recorded elsewhere is no larger than it, apart from the code of an error.
    @Test func anAnswerIsNoAmplification() throws {
        var agent = agent()
        let unknown = (0..<200).map { STUNAttribute.other(type: 0x7000 + UInt16($0), []) }
        for more in [[], [.controlled(3)], unknown] as [[STUNAttribute]] {
            for case .send(let datagram, _) in try check(&agent, path: 1, more) { #expect(datagram.count <= 100) }
        }
    }

    @Test func theOldestPathIsForgottenIfThereAreTooMany() throws {
        var agent = agent()
        let limit = ICEAgent<Int>.maximumPathCount
        for path in 0..<limit { _ = try check(&agent, path: path, seconds: Int64(path)) }
        // Path 0 is selected, so path 1 goes.
        #expect(withoutMessages(try check(&agent, path: 100, seconds: 20)) == [.forget(1), .adopt(100)])
        #expect(agent.owns(0) && !agent.owns(1))
        for path in 200..<1_000 {
            _ = try check(&agent, path: path, seconds: 21)
            #expect(agent.owns(0) && agent.owns(path))
        }
        #expect((0..<1_000).count { agent.owns($0) } == limit)
    }

    @Test func aSessionWithoutCheckExpiresAfterTenSeconds() throws {
        var agent = agent()
        let deadline = start.advanced(byMilliseconds: 10_000)
        #expect(agent.nextDeadline == deadline)
        #expect(agent.deadlinePassed(at: deadline + -1).isEmpty)
        #expect(agent.deadlinePassed(at: deadline) == [.expire(.noCheck(seconds: 10))])
        #expect(agent.nextDeadline == .distantFuture)
        #expect(try check(&agent, path: 1, seconds: 11).isEmpty)
    }

    @Test func aSessionWithoutConsentExpiresAfterThirtySeconds() throws {
        var agent = agent()
        _ = try check(&agent, path: 1, seconds: 9)
        _ = try check(&agent, path: 1, seconds: 20)
        #expect(agent.nextDeadline == start.advanced(byMilliseconds: 50_000))
        #expect(agent.deadlinePassed(at: start.advanced(byMilliseconds: 49_999)).isEmpty)
        #expect(
            agent.deadlinePassed(at: start.advanced(byMilliseconds: 50_000))
                == [.forget(1), .expire(.noConsent(seconds: 30))])
        #expect(agent.selectedPath == nil)
    }

    @Test func theConsentOfEachPathCountsForItself() throws {
        var agent = agent()
        _ = try check(&agent, path: 1)
        try validate(&agent, path: 2, seconds: 25)
        #expect(agent.deadlinePassed(at: agent.nextDeadline) == [.forget(1), .select(2)])
        #expect(agent.nextDeadline == start.advanced(byMilliseconds: 55_000))
    }

    @Test func nothingIsSentIfNoOtherPathIsValidated() throws {
        var agent = agent()
        _ = try check(&agent, path: 1)
        _ = try check(&agent, path: 2, seconds: 25, [.useCandidate])
        #expect(agent.deadlinePassed(at: agent.nextDeadline) == [.forget(1), .suspend])
        #expect(agent.selectedPath == nil && agent.owns(2))
        #expect(try checks(try check(&agent, path: 2, seconds: 31)).count == 1)
        #expect(try answer(&agent, path: 2) == [.select(2)])
    }

    @Test func aClosedConnectionLeavesTheOtherPaths() throws {
        var agent = agent()
        _ = try check(&agent, path: 1)
        try validate(&agent, path: 2, seconds: 1)
        #expect(agent.closed(1) == [.forget(1), .select(2)])
        #expect(agent.closed(1) == [])
        #expect(agent.closed(2) == [.forget(2)])
        #expect(agent.selectedPath == nil && agent.nextDeadline == start.advanced(byMilliseconds: 31_000))
        #expect(withoutMessages(try check(&agent, path: 3, seconds: 5)) == [.adopt(3)])
        #expect(try answer(&agent, path: 3) == [.select(3)])
    }

    @Test func aPathIsReservedIfItIsSelectedOrValidatedAndCheckedEveryFewSeconds() throws {
        var agent = agent()
        _ = try check(&agent, path: 1)
        _ = try check(&agent, path: 2, seconds: 10)
        #expect(agent.reserves(1, at: start.advanced(byMilliseconds: 14_999)))
        #expect(!agent.reserves(1, at: start.advanced(byMilliseconds: 15_000)))
        #expect(!agent.reserves(2, at: start.advanced(byMilliseconds: 10_000)))
        _ = try answer(&agent, path: 2)
        #expect(agent.reserves(2, at: start.advanced(byMilliseconds: 24_999)))
        #expect(!agent.reserves(2, at: start.advanced(byMilliseconds: 25_000)))
        #expect(!agent.reserves(3, at: start))
    }

    /// Nothing is sent to the peer of the session that has taken over the path.
    @Test func aPathThatIsLostToAnotherSessionIsForgotten() throws {
        var agent = agent()
        _ = try check(&agent, path: 1)
        try validate(&agent, path: 2)
        _ = try check(&agent, path: 3)
        #expect(agent.lost(3) == [.forget(3)])
        #expect(agent.lost(1) == [.forget(1), .select(2)])
        #expect(agent.lost(2) == [.forget(2), .suspend])
        #expect(agent.selectedPath == nil && agent.lost(2) == [])
        // The client may come again.
        #expect(withoutMessages(try check(&agent, path: 2, seconds: 5)) == [.adopt(2)])
    }

    @Test func credentialsHaveEnoughRandomCharacters() {
        #expect(credentials.userFragment.utf8.count == 8 && credentials.password.utf8.count == 24)
        #expect(ICECredentials(userFragment: credentials.userFragment, password: credentials.password) == credentials)
        let other = ICECredentials(random: (0..<24).map { $0 == 23 ? 6 : 7 })
        #expect(other.userFragment == credentials.userFragment && other.password != credentials.password)
        #expect(ICECredentials(userFragment: "abc", password: credentials.password) == nil)
        #expect(ICECredentials(userFragment: "abcd", password: "too short") == nil)
        #expect(ICECredentials(userFragment: "ab:d", password: credentials.password) == nil)
    }
}
