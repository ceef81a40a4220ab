import Reactor

/// Sessions over UDP whose client has not been heard on both of its sockets yet, by the client's address.
///
/// Each datagram from an unknown port is looked up here, and its source may be forged: what that costs does not depend
/// on how many sessions other addresses have.
struct UnlatchedSessions {
    private var sessions: [SocketAddress: [Session]] = [:]

    mutating func add(_ session: Session) {
        guard let host = session.host else { return }
        sessions[host, default: []].append(session)
    }

    mutating func remove(_ session: Session) {
        guard let host = session.host, var others = sessions[host] else { return }
        others.removeAll { $0 === session }
        sessions[host] = others.isEmpty ? nil : others
    }

    /// The sessions of the address `host`, after those that are `settled` have been removed.
    mutating func candidates(of host: SocketAddress, without settled: (Session) -> Bool) -> [Session] {
        guard var candidates = sessions[host] else { return [] }
        candidates.removeAll(where: settled)
        sessions[host] = candidates.isEmpty ? nil : candidates
        return candidates
    }
}

extension Session {
    /// The client's address, with port 0; `nil` before the first SETUP over UDP.
    var host: SocketAddress? { destinations.first?.with(port: 0) }
}
