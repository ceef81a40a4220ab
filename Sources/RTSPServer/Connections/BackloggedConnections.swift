/// The connections of a loop that have unprocessed messages, the one that has waited longest first. Confined to the loop.
final class BackloggedConnections {
    private var connections: [Connection] = []

    var isEmpty: Bool { connections.isEmpty }

    /// Appends the connection unless it is listed already.
    func add(_ connection: Connection) {
        guard !connection.state.isListedBacklogged else { return }
        connection.state.isListedBacklogged = true
        connections.append(connection)
    }

    /// Removes and returns the connection that has waited longest.
    func takeFirst() -> Connection? {
        guard !connections.isEmpty else { return nil }
        let first = connections.removeFirst()
        first.state.isListedBacklogged = false
        return first
    }
}
