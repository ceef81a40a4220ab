/// The connections of a loop whose received messages wait to be handled, the one that has waited longest first. Confined
/// to the loop.
final class WaitingConnections {
    private var connections: [Connection] = []

    var isEmpty: Bool { connections.isEmpty }

    /// Puts the connection behind the others; no effect if it is listed already.
    func add(_ connection: Connection) {
        guard !connection.isListedBehind else { return }
        connection.isListedBehind = true
        connections.append(connection)
    }

    /// Takes the connection that has waited longest.
    func takeFirst() -> Connection? {
        guard !connections.isEmpty else { return nil }
        let first = connections.removeFirst()
        first.isListedBehind = false
        return first
    }
}
