/// Looks at `condition` again and again until it holds.
///
/// - Parameter seconds: without a sanitizer; with one, as many times longer as its `patience`.
/// - Returns: whether it held within `seconds`. It looks at least once, also when the machine is busy.
public func eventually(
    within seconds: Double, _ condition: () async throws -> Bool
) async rethrows -> Bool {
    let deadline = ContinuousClock.now + .seconds(seconds * Sanitizer.patience)
    while true {
        if try await condition() { return true }
        guard ContinuousClock.now < deadline else { return false }
        // A cancelled test looks on without a pause until its deadline, and ends.
        try? await Task.sleep(for: .milliseconds(10))
    }
}
