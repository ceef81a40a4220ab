import Media
import Reactor

/// Punch packets that came before the PLAY that they are for: ffmpeg sends them first.
///
/// Of each address the last one to each of our sockets counts, for a second.
struct RecentPunches {
    private struct Punch {
        let source: SocketAddress
        let instant: MonotonicTime
    }

    private static let lifetime: Int64 = 1_000_000_000
    /// Addresses that are remembered at once: sources are easily forged.
    private static let capacity = 256

    /// Between two looks through all of them for old ones, in nanoseconds. A flood of forged sources must not cost a look
    /// for each datagram.
    private static let sweepInterval: Int64 = 250_000_000

    private var punches: [SocketAddress: [ClientSocket: Punch]] = [:]
    private var lastSweep: MonotonicTime?
    /// How often all of them were looked through.
    private(set) var sweepCount = 0

    /// A datagram came from a port that nobody named.
    mutating func add(_ source: SocketAddress, _ socket: ClientSocket, at now: MonotonicTime) {
        let host = source.with(port: 0)
        if punches[host] == nil, punches.count >= Self.capacity { forgetOld(at: now) }
        guard punches[host] != nil || punches.count < Self.capacity else { return }
        punches[host, default: [:]][socket] = Punch(source: source, instant: now)
    }

    /// What came of `host`, RTP's first; it is forgotten.
    mutating func take(of host: SocketAddress, at now: MonotonicTime) -> [(socket: ClientSocket, source: SocketAddress)]
    {
        guard let found = punches.removeValue(forKey: host) else { return [] }
        return ClientSocket.allCases.compactMap { socket in
            guard let punch = found[socket], now - punch.instant <= Self.lifetime else { return nil }
            return (socket, punch.source)
        }
    }

    private mutating func forgetOld(at now: MonotonicTime) {
        if let lastSweep, now - lastSweep < Self.sweepInterval { return }
        lastSweep = now
        sweepCount += 1
        punches = punches.filter { $0.value.values.contains { now - $0.instant <= Self.lifetime } }
    }
}
