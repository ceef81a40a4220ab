import Logging
import Media
import RTSP
import TLS
import TestSupport
import Testing

@testable import RTSPServer
@testable import Reactor

/// The limits of connections, and how many the server takes in one turn.
@Suite(.serialized)
struct ConnectionLimitTests {
    private static let neighbour = SocketAddress(ipv4: 0xC000_0207, port: 1_000)

    private func counts(_ change: (inout ConnectionLimits) -> Void) -> ConnectionCounts {
        var limits = ConnectionLimits()
        change(&limits)
        return ConnectionCounts(limits: limits)
    }

    /// An address of the network 2001:db8:0:`network`::/64.
    private func address(_ number: UInt128, network: UInt128 = 0) -> SocketAddress {
        SocketAddress(ipv6: 0x2001_0db8 << 96 | network << 64 | number, port: 1_000)
    }

    private func admits(
        _ counts: inout ConnectionCounts, _ peer: SocketAddress, _ security: ConnectionSecurity = .clear
    ) -> ConnectionRefusal? {
        do throws(ConnectionRefusal) {
            try counts.admit(peer, security)
            return nil
        } catch {
            return error
        }
    }

    // MARK: - Counts

    @Test func eachAddressHasItsOwnLimit() {
        var counts = counts { $0.perAddress = 2 }
        for _ in 0..<2 { #expect(admits(&counts, Self.neighbour) == nil) }
        #expect(admits(&counts, Self.neighbour.with(port: 2_000)) == .tooManyOfAddress)
        #expect(admits(&counts, SocketAddress(ipv4: 0xC000_0208, port: 1_000)) == nil)
        for _ in 0..<5 { #expect(admits(&counts, .loopback(.ipv4, port: 1_000)) == nil) }
        counts.remove(Self.neighbour)
        #expect(admits(&counts, Self.neighbour) == nil)
    }

    @Test func theAddressesOfOneIPv6NetworkAreCountedTogether() {
        var counts = counts { ($0.perAddress, $0.perNetwork) = (2, 3) }
        for number in 1...3 as ClosedRange<UInt128> { #expect(admits(&counts, address(number)) == nil) }
        #expect(admits(&counts, address(4)) == .tooManyOfNetwork)
        #expect(admits(&counts, address(4, network: 1)) == nil)
        #expect(admits(&counts, Self.neighbour) == nil)
        for _ in 0..<5 { #expect(admits(&counts, .loopback(.ipv6, port: 1_000)) == nil) }
        counts.remove(address(2))
        #expect(admits(&counts, address(4)) == nil)
    }

    @Test func allConnectionsTogetherAreLimited() {
        var counts = counts { $0.total = 3 }
        for number in 1...3 as ClosedRange<UInt128> {
            #expect(admits(&counts, address(number, network: number)) == nil)
        }
        #expect(admits(&counts, Self.neighbour) == .tooMany)
        #expect(admits(&counts, .loopback(.ipv4, port: 1_000)) == .tooMany)
        counts.remove(address(1, network: 1))
        #expect(admits(&counts, Self.neighbour) == nil && counts.total == 3)
    }

    @Test func unfinishedHandshakesHaveALimitOfTheirOwn() {
        var counts = counts { $0.unfinishedHandshakes = 2 }
        for _ in 0..<2 { #expect(admits(&counts, Self.neighbour, .tls) == nil) }
        #expect(admits(&counts, Self.neighbour, .tls) == .tooManyHandshakes)
        #expect(admits(&counts, Self.neighbour, .clear) == nil)
        counts.handshakeEnded()
        #expect(admits(&counts, Self.neighbour, .tls) == nil && counts.total == 4)
    }

    // MARK: - Turns

    @Test func oneTurnAcceptsALimitedNumberOfConnections() throws {
        let registry = Registry(limits: ConnectionLimits(), maximumViewers: 1)
        let acceptor = try Acceptor(
            listener: try Listener(at: .loopback(.ipv4, port: 0)), security: .clear, inboxes: [], registry: registry,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let count = Acceptor.connectionsPerTurn + 10
        let clients = try (0..<count).map { _ in try LoopbackSocket(port: Int(acceptor.port)) }
        let none = Events(UnsafeBufferPointer(start: nil, count: 0))
        _ = acceptor.turn(none, wasWoken: false, now: .now())
        #expect(registry.connectionCount == Acceptor.connectionsPerTurn)
        _ = acceptor.turn(none, wasWoken: false, now: .now())
        #expect(registry.connectionCount == count)
        withExtendedLifetime(clients) {}
    }

    @Test func aLoopTakesTheConnectionsThatHaveWaitedLongest() throws {
        let inbox = Inbox(waking: try EventLoop(name: "test"))
        for fd in 1...5 as ClosedRange<Int32> {
            inbox.put(Inbox.Accepted(fd: fd, peer: Self.neighbour, security: .clear))
        }
        #expect(inbox.take(upTo: 3).map(\.fd) == [1, 2, 3] && !inbox.isEmpty)
        #expect(inbox.take(upTo: 3).map(\.fd) == [4, 5] && inbox.isEmpty)
        #expect(inbox.take(upTo: 3).isEmpty)
    }

    // MARK: - On the real server

    @Test func aHandshakeThatIsCompleteMakesRoomForAnother() async throws {
        let own = try SelfSignedCertificate(for: [.host("localhost")], days: 7)
        let tls = TLSOptions(
            port: 0, identity: try ServerIdentity(certificates: own.certificate, key: own.key))
        try await Broadcast.run({
            $0.encryption = .strict(tls)
            $0.connectionLimits.unfinishedHandshakes = 2
        }) { broadcast in
            let silent = try LoopbackSocket(port: broadcast.port)
            // Complete handshakes, one after another. The server has counted each when it answers.
            var clients: [TLSSocket] = []
            for _ in 0..<5 {
                clients.append(try TLSSocket(port: broadcast.port))
                #expect(try clients.last?.request(.options, broadcast.url).status == .ok)
            }
            let other = try LoopbackSocket(port: broadcast.port)
            let refused = try LoopbackSocket(port: broadcast.port)
            #expect(refused.receive(within: 5) == [])
            // A handshake that is aborted makes room too.
            withExtendedLifetime(other) {}
            #expect(silent.offer([1], patience: 1) == 1)
            #expect(silent.receive(within: 5) == [])
            let isRoomAgain = await eventually(within: 20) { (try? TLSSocket(port: broadcast.port)) != nil }
            #expect(isRoomAgain)
            withExtendedLifetime((clients, other)) {}
        }
    }

    @Test func theServerTakesNoMoreConnectionsThanItsLimit() async throws {
        try await Broadcast.run({ $0.connectionLimits.total = 3 }) { broadcast in
            var clients = try (0..<3).map { _ in try RTSPSocket(port: broadcast.port) }
            for client in clients { #expect(try client.request("OPTIONS", broadcast.url).status == 200) }
            #expect(try LoopbackSocket(port: broadcast.port).receive(within: 5) == [])
            clients.removeLast()
            let isRoomAgain = await eventually(within: 20) {
                (try? RTSPSocket(port: broadcast.port).request("OPTIONS", broadcast.url).status) == 200
            }
            #expect(isRoomAgain)
        }
    }
}
