import Media
import Reactor

/// Which clients have received badly over UDP, by address and `User-Agent`, so that their next sessions are served better. A pure
/// value of bounded size.
struct LossMemory {
    /// How a session over UDP went.
    struct Outcome: Equatable {
        /// Packets that were sent.
        var sent: Int64
        /// Packets that were missing after repair; `nil` if the client reported nothing.
        var missing: Int64?

        /// Whether more than one packet in a hundred was missing. Too short sessions show nothing.
        fileprivate var isBad: Bool? {
            guard let missing, sent >= 1_000 else { return nil }
            return missing * 100 > sent
        }
    }

    private struct Client: Hashable {
        let host: SocketAddress
        let userAgent: String
    }

    private struct Record {
        /// Bad sessions without a good one between them.
        var badCount = 0
        var lastSession: MonotonicTime
        /// Whether it was referred to TCP once and did not try it: its user wants UDP.
        var insistsOnUDP = false
    }

    /// Bad sessions after which a client is referred to TCP.
    private static let badSessionCount = 2
    /// How long a session is remembered, in nanoseconds.
    private static let lifetime: Int64 = 600_000_000_000
    /// The largest number of clients and of hosts. The oldest is forgotten first.
    private static let capacity = 1_024
    /// The bytes of a `User-Agent` that are compared.
    private static let userAgentLength = 64

    private var clients: [Client: Record] = [:]
    /// When clients of these hosts last lost packets.
    private var losses: [SocketAddress: MonotonicTime] = [:]

    /// A session over UDP has ended.
    mutating func ended(_ outcome: Outcome, host: SocketAddress, userAgent: String?, at now: MonotonicTime) {
        if let missing = outcome.missing, missing > 0 { noteLoss(at: host, now) }
        guard let isBad = outcome.isBad else { return }
        let client = Self.client(host, userAgent)
        guard isBad else {
            clients[client] = nil
            return
        }
        if clients[client] == nil, clients.count >= Self.capacity {
            clients.min { $0.value.lastSession < $1.value.lastSession }.map { clients[$0.key] = nil }
        }
        clients[client, default: Record(lastSession: now)].badCount += 1
        clients[client]?.lastSession = now
    }

    /// Whether a client is referred to TCP, because its last sessions over UDP were bad.
    mutating func refersToTCP(host: SocketAddress, userAgent: String?, at now: MonotonicTime) -> Bool {
        let client = Self.client(host, userAgent)
        guard let record = clients[client] else { return false }
        guard now - record.lastSession < Self.lifetime else {
            clients[client] = nil
            return false
        }
        return record.badCount >= Self.badSessionCount && !record.insistsOnUDP
    }

    /// A client that was referred to TCP has left without having tried it.
    mutating func declinedTCP(host: SocketAddress, userAgent: String?) {
        clients[Self.client(host, userAgent)]?.insistsOnUDP = true
    }

    /// A client of this host has reported a loss.
    mutating func noteLoss(at host: SocketAddress, _ now: MonotonicTime) {
        let host = host.with(port: 0)
        if losses[host] == nil, losses.count >= Self.capacity {
            losses.min { $0.value < $1.value }.map { losses[$0.key] = nil }
        }
        losses[host] = now
    }

    /// Whether a client of this host has lost packets lately.
    func hasLost(at host: SocketAddress, _ now: MonotonicTime) -> Bool {
        losses[host.with(port: 0)].map { now - $0 < Self.lifetime } ?? false
    }

    private static func client(_ host: SocketAddress, _ userAgent: String?) -> Client {
        Client(
            host: host.with(port: 0),
            userAgent: String(decoding: (userAgent ?? "").utf8.prefix(userAgentLength), as: UTF8.self))
    }
}
