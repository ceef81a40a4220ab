/// The actions that a state machine has ordered and its caller has not taken yet, in their order.
struct ActionQueue<Action: Sendable>: Sendable {
    private var actions: [Action] = []
    /// How many of these the caller has taken.
    private var takenCount = 0

    mutating func append(_ action: Action) { actions.append(action) }

    /// Takes the first action; `nil` if there are no more.
    mutating func next() -> Action? {
        guard takenCount < actions.count else {
            actions.removeAll(keepingCapacity: true)
            takenCount = 0
            return nil
        }
        defer { takenCount += 1 }
        return actions[takenCount]
    }
}
