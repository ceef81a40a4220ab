import Delivery
import Media
import Reactor

/// Datagrams from unknown ports that came before the PLAY that they are for, because ffmpeg sends its hole-punching packets
/// first.
///
/// For each address it keeps the last datagram to each of our sockets, for one second.
struct EarlyDatagrams {
    private struct Candidate {
        let source: SocketAddress
        let instant: MonotonicTime
    }

    private static let lifetime: Int64 = 1_000_000_000
    /// Addresses that are kept at a time. The limit exists because sources are easily forged.
    private static let capacity = 256

    /// The time between two sweeps for expired candidates, in nanoseconds. A flood of forged sources must not cause a sweep for
    /// each datagram.
    private static let sweepInterval: Int64 = 250_000_000

    private var candidates: [SocketAddress: [UDPPort: Candidate]] = [:]
    private var lastSweep: MonotonicTime?
    /// The number of sweeps.
    private(set) var sweepCount = 0

    /// Adds a datagram from an unknown port.
    mutating func add(_ source: SocketAddress, _ port: UDPPort, at now: MonotonicTime) {
        let host = source.with(port: 0)
        if candidates[host] == nil, candidates.count >= Self.capacity { discardExpired(at: now) }
        guard candidates[host] != nil || candidates.count < Self.capacity else { return }
        candidates[host, default: [:]][port] = Candidate(source: source, instant: now)
    }

    /// Removes and returns the datagrams of `host`, those to the RTP socket first.
    mutating func take(of host: SocketAddress, at now: MonotonicTime) -> [(port: UDPPort, source: SocketAddress)] {
        guard let found = candidates.removeValue(forKey: host) else { return [] }
        return UDPPort.allCases.compactMap { port in
            guard let candidate = found[port], now - candidate.instant <= Self.lifetime else { return nil }
            return (port, candidate.source)
        }
    }

    private mutating func discardExpired(at now: MonotonicTime) {
        if let lastSweep, now - lastSweep < Self.sweepInterval { return }
        lastSweep = now
        sweepCount += 1
        candidates = candidates.filter { $0.value.values.contains { now - $0.instant <= Self.lifetime } }
    }
}
