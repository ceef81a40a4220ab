import Reactor
import WebRTC

/// A candidate of the server that this host can reach.
struct ReachableCandidate: Hashable {
    let address: SocketAddress
    /// The same for STUN.
    let transportAddress: TransportAddress

    private init?(_ candidate: RemoteCandidate, for family: AddressFamily) {
        // Names are only known in the server's network, and an IPv4 socket reaches no IPv6 address.
        guard let address = SocketAddress(candidate.address, port: candidate.port), !address.isAny,
            !address.isMulticast, family == .ipv6 || address.family == .ipv4,
            let transportAddress = TransportAddress(addressBytes: address.octets, port: address.port)
        else { return nil }
        (self.address, self.transportAddress) = (address, transportAddress)
    }

    /// As many addresses are checked: a host has a few, each with IPv4 and IPv6.
    static let limit = 8

    /// The candidates to check, in the order of the answer, each address once.
    ///
    /// - Parameter family: that of the socket.
    static func all(of candidates: [RemoteCandidate], for family: AddressFamily) -> [Self] {
        var reachable: [Self] = []
        for candidate in candidates {
            guard let candidate = Self(candidate, for: family), !reachable.contains(candidate) else { continue }
            reachable.append(candidate)
            if reachable.count == limit { break }
        }
        return reachable
    }
}
