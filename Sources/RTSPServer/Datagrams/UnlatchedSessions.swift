import Reactor

/// UDP sessions without NAT latching on both of the client's sockets yet (RFC 7362), by the client's address.
///
/// Each datagram from an unknown port is looked up here, and its source may be forged. The cost of a look-up does not depend on
/// the number of sessions of other addresses.
struct UnlatchedSessions {
    private var sessions: [SocketAddress: [ViewerSession]] = [:]

    mutating func add(_ session: ViewerSession) {
        guard let host = session.host else { return }
        sessions[host, default: []].append(session)
    }

    mutating func remove(_ session: ViewerSession) {
        guard let host = session.host, var others = sessions[host] else { return }
        others.removeAll { $0 === session }
        sessions[host] = others.isEmpty ? nil : others
    }

    /// The sessions of the address `host`. Those for which latching is over are removed first.
    mutating func candidates(of host: SocketAddress, without isLatchingOver: (ViewerSession) -> Bool) -> [ViewerSession]
    {
        guard var candidates = sessions[host] else { return [] }
        candidates.removeAll(where: isLatchingOver)
        sessions[host] = candidates.isEmpty ? nil : candidates
        return candidates
    }
}

extension ViewerSession {
    /// The client's address, with port 0; `nil` before the first SETUP over UDP.
    var host: SocketAddress? { destinations.first?.with(port: 0) }
}
