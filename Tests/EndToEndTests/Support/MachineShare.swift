import TestSupport
import Testing

/// What a suite has of the machine while its tests run, one after another: all of it where they measure or play by the clock; else
/// a part, for they mostly wait for answers and pictures.
struct MachineShare: SuiteTrait, TestScoping {
    fileprivate let isWhole: Bool

    func provideScope(
        for test: Test, testCase: Test.Case?, performing tests: @Sendable () async throws -> Void
    ) async throws {
        await Machine.shared.take(isWhole: isWhole)
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await tests()) } catch { outcome = .failure(error) }
        await Machine.shared.giveBack(isWhole: isWhole)
        try outcome.get()
    }
}

extension Trait where Self == MachineShare {
    /// No other suite runs at the same time.
    static var alone: Self { Self(isWhole: true) }

    /// Two others may run at the same time.
    static var besideOthers: Self { Self(isWhole: false) }
}

/// Whose turn it is. Those who share go first.
private actor Machine {
    static let shared = Machine()

    /// A sanitizer's own work is more than enough.
    private let parts = Sanitizer.current == nil ? 3 : 1
    private var taken = 0
    private var waitingForPart: [CheckedContinuation<Void, Never>] = []
    private var waitingForWhole: [CheckedContinuation<Void, Never>] = []

    func take(isWhole: Bool) async {
        await withCheckedContinuation { turn in
            if isWhole { waitingForWhole.append(turn) } else { waitingForPart.append(turn) }
            letIn()
        }
    }

    func giveBack(isWhole: Bool) {
        taken -= isWhole ? parts : 1
        letIn()
    }

    private func letIn() {
        while taken < parts, !waitingForPart.isEmpty {
            taken += 1
            waitingForPart.removeFirst().resume()
        }
        if taken == 0, !waitingForWhole.isEmpty {
            taken = parts
            waitingForWhole.removeFirst().resume()
        }
    }
}
