import Media
import Reactor

/// Punch packets that came before the PLAY that they are for: ffmpeg sends them first.
///
/// Of each address the last one to each of our sockets counts, for a second.
struct LatchCandidates {
    private struct Candidate {
        let source: SocketAddress
        let instant: MonotonicTime
    }

    private static let lifetime: Int64 = 1_000_000_000
    /// Addresses that are remembered at once: sources are easily forged.
    private static let capacity = 256

    /// Between two looks through all of them for old ones, in nanoseconds. A flood of forged sources must not cost a look
    /// for each datagram.
    private static let sweepInterval: Int64 = 250_000_000

    private var candidates: [SocketAddress: [ClientSocket: Candidate]] = [:]
    private var lastSweep: MonotonicTime?
    /// How often all of them were looked through.
    private(set) var sweepCount = 0

    /// A datagram came from a port that nobody named.
    mutating func add(_ source: SocketAddress, _ socket: ClientSocket, at now: MonotonicTime) {
        let host = source.with(port: 0)
        if candidates[host] == nil, candidates.count >= Self.capacity { discardExpired(at: now) }
        guard candidates[host] != nil || candidates.count < Self.capacity else { return }
        candidates[host, default: [:]][socket] = Candidate(source: source, instant: now)
    }

    /// What came of `host`, RTP's first; it is forgotten.
    mutating func take(of host: SocketAddress, at now: MonotonicTime) -> [(socket: ClientSocket, source: SocketAddress)]
    {
        guard let found = candidates.removeValue(forKey: host) else { return [] }
        return ClientSocket.allCases.compactMap { socket in
            guard let candidate = found[socket], now - candidate.instant <= Self.lifetime else { return nil }
            return (socket, candidate.source)
        }
    }

    private mutating func discardExpired(at now: MonotonicTime) {
        if let lastSweep, now - lastSweep < Self.sweepInterval { return }
        lastSweep = now
        sweepCount += 1
        candidates = candidates.filter { $0.value.values.contains { now - $0.instant <= Self.lifetime } }
    }
}
