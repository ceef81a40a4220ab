import Delivery
import Media
import Reactor
import WebRTC

/// The sessions of a loop, by everything that names them. Confined to the loop.
struct SessionTable {
    private var byName: [SessionName: Session] = [:]
    private var byFragment: [String: Session] = [:]
    private var byToken: [Token: Session] = [:]
    private var byPath: [NetworkPath: Session] = [:]
    private var byViewer: [ObjectIdentifier: Session] = [:]

    var all: [Session] { Array(byName.values) }
    /// The sessions that publish.
    private(set) var publishers: [Session] = []

    mutating func insert(_ session: Session) {
        byName[session.name] = session
        byToken[session.token] = session
        byFragment[session.agent.credentials.userFragment] = session
    }

    /// Removes a session.
    ///
    /// - Returns: its paths.
    mutating func remove(_ session: Session) -> [NetworkPath] {
        byName[session.name] = nil
        byToken[session.token] = nil
        byFragment[session.agent.credentials.userFragment] = nil
        let paths = byPath.filter { $0.value === session }.map(\.key)
        for path in paths { byPath[path] = nil }
        if let viewer = session.playback?.viewer { byViewer[ObjectIdentifier(viewer)] = nil }
        publishers.removeAll { $0 === session }
        return paths
    }

    /// Whether a path is reserved for another session than this one.
    func isReserved(_ path: NetworkPath, against session: Session, at now: MonotonicTime) -> Bool {
        guard let owner = byPath[path], owner !== session else { return false }
        return owner.agent.reserves(path, at: now)
    }

    /// Datagrams on a path, which is not reserved for another session, belong to a session from now on.
    ///
    /// - Returns: the session that has lost the path.
    mutating func adopt(_ path: NetworkPath, by session: Session) -> Session? {
        let former = byPath.updateValue(session, forKey: path)
        return former === session ? nil : former
    }

    /// Datagrams on a path no longer belong to a session. If they belong to another one, they still do.
    mutating func forget(_ path: NetworkPath, of session: Session) {
        if byPath[path] === session { byPath[path] = nil }
    }

    /// The session plays by a viewer.
    mutating func add(_ viewer: Viewer, of session: Session) { byViewer[ObjectIdentifier(viewer)] = session }

    mutating func addPublisher(_ session: Session) { publishers.append(session) }

    subscript(name: SessionName) -> Session? { byName[name] }
    subscript(token: Token) -> Session? { byToken[token] }
    subscript(path: NetworkPath) -> Session? { byPath[path] }
    subscript(viewer: Viewer) -> Session? { byViewer[ObjectIdentifier(viewer)] }

    /// The session of a message of ICE: a check names it, and an answer comes over one of its paths.
    func session(of message: STUNMessage, over path: NetworkPath) -> Session? {
        message.kind == .request ? message.localFragment.flatMap { byFragment[$0] } : byPath[path]
    }
}
