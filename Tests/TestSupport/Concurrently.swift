/// Runs `body` for all `items` concurrently, because players and measurements mostly wait for the stream.
public func concurrently<Item: Sendable>(
    _ items: [Item], each body: @escaping @Sendable (Item) async throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for item in items { group.addTask { try await body(item) } }
        try await group.waitForAll()
    }
}
