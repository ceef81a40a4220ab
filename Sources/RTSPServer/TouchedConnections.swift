/// The connections of a loop whose machine or output did something in this turn: the others need no look when it ends.
/// Confined to the loop.
final class TouchedConnections {
    private var connections: [Connection] = []
    private var nextIndex = 0

    /// The connection is looked at before the turn ends.
    func add(_ connection: Connection) {
        guard !connection.isTouched else { return }
        connection.isTouched = true
        connections.append(connection)
    }

    /// Takes the next one; that may add it again, or others. `nil` where there is none.
    func next() -> Connection? {
        guard nextIndex < connections.count else {
            connections.removeAll(keepingCapacity: true)
            nextIndex = 0
            return nil
        }
        defer { nextIndex += 1 }
        connections[nextIndex].isTouched = false
        return connections[nextIndex]
    }
}
