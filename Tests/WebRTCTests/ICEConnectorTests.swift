import Media
import Testing
import Wire

@testable import WebRTC

/// The client's side of ICE, in virtual time.
@Suite struct ICEConnectorTests {
    private let local = ICECredentials(random: [UInt8](repeating: 7, count: ICECredentials.randomByteCount))
    private let remote = ICECredentials(random: [UInt8](repeating: 9, count: ICECredentials.randomByteCount))
    private let address = TransportAddress(host: .ipv4(0xC000_0201), port: 8_189)
    private let start = MonotonicTime(nanoseconds: 5)

    private func connector(candidates: Int = 1) -> ICEConnector {
        ICEConnector(
            local: local, remote: remote, candidateCount: candidates, tieBreaker: 3,
            transaction: STUNTransaction(high: 1, low: 1_000), at: start)
    }

    private func instant(_ milliseconds: Int64) -> MonotonicTime { start.advanced(byMilliseconds: milliseconds) }

    /// A check that the connector has sent.
    private struct Check {
        let message: STUNMessage
        let candidate: Int
        var nominates: Bool { message.attributes.contains(.useCandidate) }
    }

    /// The checks among the orders, which must be authentic.
    private func checks(_ orders: [ICEConnector.Order]) throws -> [Check] {
        try orders.compactMap { order in
            guard case .send(let datagram, let candidate) = order else { return nil }
            let message = try #require(STUNMessage(parsing: datagram))
            let key = [UInt8](remote.password.utf8)
            #expect(message.isAuthentic(in: datagram, key: key, authenticate: hmacSHA1))
            return Check(message: message, candidate: candidate)
        }
    }

    /// The checks until an instant, each with its time.
    private func checks(
        of connector: inout ICEConnector, until end: Int64
    ) throws -> [(milliseconds: Int64, check: Check)] {
        var all: [(Int64, Check)] = []
        while connector.nextDeadline <= instant(end) {
            let now = connector.nextDeadline
            for check in try checks(connector.deadlinePassed(at: now, authenticate: hmacSHA1)) {
                all.append(((now - start) / 1_000_000, check))
            }
        }
        return all
    }

    /// The server's answer to a check.
    private func answer(
        _ connector: inout ICEConnector, to check: Check, at milliseconds: Int64, password: String? = nil,
        from candidate: Int? = nil, kind: STUNMessage.Kind = .success
    ) -> [ICEConnector.Order] {
        let message = STUNMessage(
            kind, transaction: check.message.transaction,
            attributes: kind == .error ? [.errorCode(487, reason: "Role Conflict")] : [.mappedAddress(address)])
        let datagram = message.encoded(
            key: [UInt8]((password ?? remote.password).utf8), authenticate: hmacSHA1)
        guard let read = STUNMessage(parsing: datagram) else { return [] }
        return connector.received(
            read, in: datagram, from: candidate ?? check.candidate, at: address, at: instant(milliseconds),
            authenticate: hmacSHA1)
    }

    @Test func candidatesAreCheckedInTurnAndThenLessAndLess() throws {
        var connector = connector(candidates: 2)
        let sent = try checks(of: &connector, until: 1_000)
        #expect(sent.map(\.milliseconds) == [0, 50, 100, 150, 300, 350, 700, 750])
        #expect(sent.map(\.check.candidate) == [0, 1, 0, 1, 0, 1, 0, 1])
        #expect(sent.allSatisfy { !$0.check.nominates })
        let first = try #require(sent.first).check.message
        #expect(first.attributes.contains(.userName("\(remote.userFragment):\(local.userFragment)")))
        #expect(first.attributes.contains(.controlling(3)))
        #expect(Set(sent.map(\.check.message.transaction)).count == sent.count)
    }

    @Test func theFirstAnswerSelectsAndNominates() throws {
        var connector = connector(candidates: 2)
        let sent = try checks(of: &connector, until: 60)
        let orders = answer(&connector, to: sent[1].check, at: 70)
        #expect(orders.first == .select(1) && connector.selected == 1)
        #expect(connector.shortestRoundTrip == 20_000_000)
        let nomination = try #require(try checks(orders).first)
        #expect(nomination.nominates && nomination.candidate == 1)
        // The other candidate is not checked any more, and its answer changes nothing.
        #expect(answer(&connector, to: sent[0].check, at: 75) == [] && connector.selected == 1)
        #expect(answer(&connector, to: nomination, at: 80) == [])
        let consent = try checks(of: &connector, until: 9_000)
        #expect(consent.allSatisfy { $0.check.candidate == 1 && $0.check.nominates })
        #expect((1...2).contains(consent.count))
    }

    @Test func aNominationIsRepeatedUntilItIsAnswered() throws {
        var connector = connector()
        let check = try #require(try checks(of: &connector, until: 0).first).check
        _ = answer(&connector, to: check, at: 10)
        let repetitions = try checks(of: &connector, until: 600)
        #expect(repetitions.map(\.milliseconds) == [110, 310] && repetitions.allSatisfy { $0.check.nominates })
    }

    @Test func onlyAnAuthenticAnswerFromTheCandidateCounts() throws {
        var connector = connector(candidates: 2)
        let check = try #require(try checks(of: &connector, until: 0).first).check
        #expect(answer(&connector, to: check, at: 5, from: 1) == [])
        #expect(answer(&connector, to: check, at: 5, password: local.password) == [])
        // It was answered once; a repetition is not expected.
        #expect(answer(&connector, to: check, at: 5) == [] && connector.selected == nil)
    }

    @Test func withoutAnAnswerTheSessionExpiresWithTheReason() throws {
        var silent = connector()
        _ = try checks(of: &silent, until: 4_999)
        #expect(
            silent.deadlinePassed(at: instant(5_000), authenticate: hmacSHA1) == [
                .expire(.noAnswer(seconds: 5, refusal: nil))
            ])
        #expect(silent.nextDeadline == .distantFuture)
        var refusing = connector()
        let check = try #require(try checks(of: &refusing, until: 0).first).check
        #expect(answer(&refusing, to: check, at: 1, kind: .error) == [])
        #expect(
            refusing.deadlinePassed(at: instant(5_000), authenticate: hmacSHA1) == [
                .expire(.noAnswer(seconds: 5, refusal: "487 Role Conflict"))
            ])
    }

    @Test func consentIsKeptByAnswersAndLostAfterThirtySeconds() throws {
        var connector = connector()
        var pending = try checks(of: &connector, until: 0).map(\.check)
        var time: Int64 = 0
        while time < 60_000 {
            for check in pending { _ = answer(&connector, to: check, at: time + 1) }
            time += 1_000
            pending = try checks(of: &connector, until: time).map(\.check)
        }
        if pending.isEmpty { pending = try checks(of: &connector, until: time + 6_000).map(\.check) }
        _ = answer(&connector, to: try #require(pending.last), at: 70_000)
        _ = try checks(of: &connector, until: 99_999)
        #expect(
            connector.deadlinePassed(at: instant(100_000), authenticate: hmacSHA1) == [
                .expire(.noConsent(seconds: 30))
            ])
    }

    /// Servers without ICE-lite check the client, too.
    @Test func aCheckOfTheServerIsAnswered() throws {
        var connector = connector()
        func check(_ password: String) throws -> [ICEConnector.Order] {
            let message = STUNMessage(
                .request, transaction: .init(high: 4, low: 5),
                attributes: [.userName("\(local.userFragment):\(remote.userFragment)"), .controlled(1)])
            let datagram = message.encoded(key: [UInt8](password.utf8), authenticate: hmacSHA1)
            return connector.received(
                try #require(STUNMessage(parsing: datagram)), in: datagram, from: 0, at: address, at: start,
                authenticate: hmacSHA1)
        }
        #expect(try check(remote.password) == [])
        guard case .send(let datagram, 0)? = try check(local.password).first else {
            Issue.record("the check was not answered")
            return
        }
        let answer = try #require(STUNMessage(parsing: datagram))
        #expect(answer.kind == .success && answer.attributes == [.mappedAddress(address)])
        #expect(answer.isAuthentic(in: datagram, key: [UInt8](local.password.utf8), authenticate: hmacSHA1))
    }

    /// Both ends of a session, back to back. Then the client's address changes: the agent checks the new path, and the connector answers.
    @Test func theConnectorAndTheAgentAgree() throws {
        var connector = connector(candidates: 2)
        var agent = ICEAgent<Int>(credentials: remote, remote: local, at: start)
        #expect(try selected(by: &agent, with: &connector, at: instant(0)) == 0 && connector.selected == 0)
        #expect(try selected(by: &agent, with: &connector, from: 10, at: instant(4_000)) == 10)
        #expect(connector.selected == 0 && agent.selectedPath == 10)
    }

    /// Exchanges messages until both ends are silent.
    ///
    /// - Parameter client: the number of the client's address; with that of a candidate it makes a path.
    /// - Returns: the path that the agent has selected last.
    private func selected(
        by agent: inout ICEAgent<Int>, with connector: inout ICEConnector, from client: Int = 0, at now: MonotonicTime
    ) throws -> Int? {
        var selected: Int?
        var orders = connector.deadlinePassed(at: now, authenticate: hmacSHA1)
        while !orders.isEmpty {
            var next: [ICEConnector.Order] = []
            for case .send(let datagram, let candidate) in orders {
                let message = try #require(STUNMessage(parsing: datagram))
                let replies = agent.received(
                    message, in: datagram, from: client + candidate, at: address, transaction: .init(high: 5, low: 6),
                    at: now, authenticate: hmacSHA1)
                for reply in replies {
                    if case .select(let path) = reply { selected = path }
                    guard case .send(let datagram, let path) = reply else { continue }
                    let answer = try #require(STUNMessage(parsing: datagram))
                    next += connector.received(
                        answer, in: datagram, from: path - client, at: address, at: now, authenticate: hmacSHA1)
                }
            }
            orders = next
        }
        return selected
    }
}
