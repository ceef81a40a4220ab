import Media

/// What runs on the thread of SRT. Confined to it.
final class LoopState {
    let sockets: SocketSet
    var isStopping = false
    private(set) var nextTurn = MonotonicTime(nanoseconds: 0)
    private var owners: [SRTSocket: any SocketOwner] = [:]
    private(set) var members: [any LoopMember] = []

    init(sockets: SocketSet) {
        self.sockets = sockets
    }

    /// Adds what takes part in each turn.
    func add(_ member: any LoopMember) { members.append(member) }

    func remove(_ member: any LoopMember) { members.removeAll { $0 === member } }

    /// The first member of a type.
    func member<Member: LoopMember>(of type: Member.Type) -> Member? { members.lazy.compactMap { $0 as? Member }.first }

    /// Watches a socket.
    ///
    /// - Returns: false if it is gone.
    func watch(_ socket: SRTSocket, for events: SocketSet.Events, by owner: any SocketOwner) -> Bool {
        guard sockets.watch(socket, for: events) else { return false }
        owners[socket] = owner
        return true
    }

    /// Stops watching a socket, and closes it.
    func close(_ socket: SRTSocket) {
        if owners.removeValue(forKey: socket) != nil { sockets.unwatch(socket) }
        socket.close()
    }

    func turn(_ ready: [(socket: SRTSocket, events: SocketSet.Events)], at now: MonotonicTime) {
        for (socket, events) in ready { owners[socket]?.socketIsReady(socket, events, at: now) }
        nextTurn = .distantFuture
        // Members may leave.
        for member in members { nextTurn = min(nextTurn, member.turn(at: now)) }
    }

    func stop(at now: MonotonicTime) {
        for member in members { member.stop(at: now) }
        members = []
    }
}

/// The owner of sockets on the thread of SRT.
protocol SocketOwner: AnyObject {
    func socketIsReady(_ socket: SRTSocket, _ events: SocketSet.Events, at now: MonotonicTime)
}

/// Something that takes part in each turn of the thread of SRT.
protocol LoopMember: AnyObject {
    /// Does what is due and sends what is new, after input was handled.
    ///
    /// - Returns: the latest time of the next turn.
    func turn(at now: MonotonicTime) -> MonotonicTime

    /// Closes all sockets, because the thread ends.
    func stop(at now: MonotonicTime)

    /// The connections by which streams are received, with the paths of these.
    var receptions: [(path: String, socket: SRTSocket)] { get }
}
