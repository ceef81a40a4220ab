import Media
import RTSP
import Reactor
import Streams
import TLS
import TestSupport
import Testing

@testable import WebRTC
@testable import WebRTCServer

/// Which session the datagrams of a network path belong to, in virtual time.
struct SessionTableTests {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000)

    @Test func thePathOfAClientThatChecksItIsReserved() throws {
        var table = SessionTable()
        let (owner, other) = (try session(1, in: &table), try session(2, in: &table))
        #expect(check(path(1), by: owner, &table, seconds: 0))
        #expect(check(path(2), by: other, &table, seconds: 0))
        for second: Int64 in 1..<60 {
            if second.isMultiple(of: 6) { #expect(check(path(1), by: owner, &table, seconds: second)) }
            #expect(!check(path(1), by: other, &table, seconds: second))
        }
        #expect(table[path(1)] === owner && owner.agent.selectedPath == path(1))
        #expect(!other.agent.owns(path(1)) && other.agent.selectedPath == path(2))
    }

    /// A page was closed without DELETE, and its NAT gives the next one the same address and port.
    @Test func thePathOfASilentClientIsTakenOver() throws {
        var table = SessionTable()
        let (owner, other) = (try session(1, in: &table), try session(2, in: &table))
        #expect(check(path(1), by: owner, &table, seconds: 0))
        #expect(!check(path(1), by: other, &table, seconds: 14))
        #expect(table[path(1)] === owner)
        #expect(check(path(1), by: other, &table, seconds: 15))
        #expect(table[path(1)] === other && other.agent.selectedPath == path(1))
        #expect(!owner.agent.owns(path(1)) && owner.agent.selectedPath == nil)
        #expect(!check(path(1), by: owner, &table, seconds: 16))
    }

    /// The owner may not have received anything there, so it cannot keep others out.
    @Test func aPathThatIsNeitherSelectedNorValidatedIsTakenOver() throws {
        var table = SessionTable()
        let (first, second) = (try session(1, in: &table), try session(2, in: &table))
        #expect(check(path(1), by: first, &table, seconds: 0))
        #expect(check(path(2), by: first, &table, seconds: 0))
        #expect(check(path(2), by: second, &table, seconds: 0))
        #expect(table[path(2)] === second && !first.agent.owns(path(2)) && first.agent.selectedPath == path(1))
    }

    @Test func aSessionThatForgetsOrEndsLeavesThePathsOfOthers() throws {
        var table = SessionTable()
        let (first, second) = (try session(1, in: &table), try session(2, in: &table))
        for number: UInt16 in 1...2 { #expect(check(path(number), by: first, &table, seconds: 0)) }
        #expect(check(path(2), by: second, &table, seconds: 0))
        // The ninth path and later ones displace older ones.
        for number: UInt16 in 3...20 { #expect(check(path(number), by: first, &table, seconds: 1)) }
        #expect(table[path(2)] === second && table[path(3)] == nil)
        table.forget(path(2), of: first)
        #expect(table[path(2)] === second)
        let removed = table.remove(first)
        #expect(removed.contains(path(1)) && !removed.contains(path(2)))
        #expect(table[path(2)] === second && table[path(1)] == nil)
        #expect(table.remove(second) == [path(2)])
        #expect(table[path(2)] == nil)
    }

    // MARK: Parts of tests

    private func path(_ port: UInt16) -> NetworkPath {
        NetworkPath(remote: .any(.ipv4, port: port), local: nil)
    }

    /// A session of a player.
    private func session(_ number: UInt64, in table: inout SessionTable) throws -> Session {
        let stream = Streams.Stream(path: "/cam", epoch: start)
        let request = SessionRequest(
            .playback, "/cam", try Offer(parsing: Array(WebRTCPeer().offer().utf8)), .everything,
            of: SessionRequest.Client(
                endpoint: Endpoint(address: "127.0.0.1", isLoopback: true), security: .clear, userAgent: nil),
            resource: "/")
        let random = [UInt8](repeating: UInt8(number), count: ICECredentials.randomByteCount)
        var viewers = ViewerIDs(after: 0)
        let session = Session(
            SessionName(onLoop: 0, random: (0, number)), token: Token(rawValue: number), request,
            at: OfferedPath(stream: stream),
            .playback(Playback(viewers.next(), of: stream, from: stream, [], [], needsOpus: false)),
            Session.AnswerFacts(
                credentials: ICECredentials(random: random), role: .server, peerFingerprint: [], entityTag: ""),
            under: nil, at: start)
        table.insert(session)
        return session
    }

    /// A valid check of a session's client comes.
    ///
    /// - Returns: whether it has an effect.
    private func check(
        _ path: NetworkPath, by session: Session, _ table: inout SessionTable, seconds: Int64
    ) -> Bool {
        let now = start.advanced(byMilliseconds: seconds * 1_000)
        guard !table.isReserved(path, against: session, at: now) else { return false }
        let credentials = session.agent.credentials
        let message = STUNMessage(
            .request, transaction: STUNTransaction(high: 1, low: 1),
            attributes: [.userName("\(credentials.userFragment):peer"), .controlling(9), .useCandidate])
        let datagram = message.encoded(key: [UInt8](credentials.password.utf8)) { HMACSHA1.code(of: $0, key: $1) }
        guard let parsed = STUNMessage(parsing: datagram.span.bytes), let address = path.mappedAddress else {
            return false
        }
        let orders = session.agent.received(
            parsed, in: datagram.span.bytes, from: path, at: address, transaction: STUNTransaction(high: 2, low: 2),
            at: now, authenticate: { HMACSHA1.code(of: $0, key: $1) })
        perform(orders, of: session, &table)
        return !orders.isEmpty
    }

    private func perform(_ orders: [ICEOrder<NetworkPath>], of session: Session, _ table: inout SessionTable) {
        for order in orders {
            switch order {
            case .adopt(let path):
                if let former = table.adopt(path, by: session) { perform(former.agent.lost(path), of: former, &table) }
            case .forget(let path): table.forget(path, of: session)
            case .send, .select, .suspend, .expire: break
            }
        }
    }
}
