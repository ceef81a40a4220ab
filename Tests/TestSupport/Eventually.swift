/// Checks `condition` repeatedly until it holds.
///
/// - Parameter seconds: The time limit, multiplied by the sanitizer's `patience`.
/// - Returns: Whether it held in time. It is checked at least once, even on a busy machine.
public func eventually(
    within seconds: Double, _ condition: () async throws -> Bool
) async rethrows -> Bool {
    let deadline = ContinuousClock.now + .seconds(seconds * Sanitizer.patience)
    while true {
        if try await condition() { return true }
        guard ContinuousClock.now < deadline else { return false }
        // A cancelled test checks without a pause until the deadline, and ends.
        try? await Task.sleep(for: .milliseconds(10))
    }
}
