import Media
import Reactor
import WebRTC

/// The addresses of this host at which clients can reach it, looked up at most once in ten seconds. Confined to a loop.
struct HostCandidates {
    private static let lifetime: Int64 = 10_000_000_000
    /// Addresses in one answer: a host with more has virtual networks, which clients do not reach.
    private static let maximumCount = 8

    private let options: ServerOptions
    private var known: (addresses: [String], instant: MonotonicTime)?

    init(_ options: ServerOptions) {
        self.options = options
    }

    /// The candidates for a client, the most probable first: some clients try no other.
    ///
    /// - Parameter client: its HTTP request came to one of the addresses.
    mutating func candidates(for client: SessionRequest.Client, port: UInt16, at now: MonotonicTime) -> [ICECandidate] {
        var addresses = options.publicAddresses
        let own = ownAddresses(at: now)
        if let reached = client.serverAddress, own.contains(reached) { addresses.append(reached) }
        addresses += own
        if client.endpoint.isLoopback || addresses.isEmpty, options.address == nil { addresses.append("127.0.0.1") }
        var unique: [String] = []
        for address in addresses where !unique.contains(address) { unique.append(address) }
        let used = unique.prefix(Self.maximumCount).enumerated()
        let datagrams = used.map { ICECandidate(.udp, address: $1, port: port, rank: $0) }
        guard options.maximumConnections > 0 else { return datagrams }
        return datagrams + used.map { ICECandidate(.tcpPassive, address: $1, port: port, rank: $0) }
    }

    private mutating func ownAddresses(at now: MonotonicTime) -> [String] {
        if let address = options.address { return [address] }
        if let known, now - known.instant < Self.lifetime { return known.addresses }
        // If the kernel does not answer, clients can use the public addresses.
        let addresses = ((try? LocalAddresses.all()) ?? []).map(\.host)
        known = (addresses, now)
        return addresses
    }
}
