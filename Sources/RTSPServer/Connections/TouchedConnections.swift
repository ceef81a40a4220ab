/// The connections of a loop that changed in this turn. Only these are updated when it ends. Confined to the loop.
final class TouchedConnections {
    private var connections: [Connection] = []
    private var nextIndex = 0

    /// Lists the connection to be updated before the turn ends.
    func add(_ connection: Connection) {
        guard !connection.state.isTouched else { return }
        connection.state.isTouched = true
        connections.append(connection)
    }

    /// Removes and returns the next one; `nil` if there is none. Updating it may list it or others again.
    func next() -> Connection? {
        guard nextIndex < connections.count else {
            connections.removeAll(keepingCapacity: true)
            nextIndex = 0
            return nil
        }
        defer { nextIndex += 1 }
        connections[nextIndex].state.isTouched = false
        return connections[nextIndex]
    }
}
