import TestSupport
import Testing

/// The share of the machine that a suite has while its tests run: all of it if they measure times or play in real time; otherwise
/// a part, because they mostly wait for responses and frames.
struct MachineShare: SuiteTrait, TestScoping {
    fileprivate let isWhole: Bool

    func provideScope(
        for test: Test, testCase: Test.Case?, performing tests: @Sendable () async throws -> Void
    ) async throws {
        await Machine.shared.acquire(isWhole: isWhole)
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await tests()) } catch { outcome = .failure(error) }
        await Machine.shared.release(isWhole: isWhole)
        try outcome.get()
    }
}

extension Trait where Self == MachineShare {
    /// No other suite runs at the same time.
    static var exclusive: Self { Self(isWhole: true) }

    /// Up to two other suites run at the same time.
    static var sharesMachine: Self { Self(isWhole: false) }
}

/// Grants the shares. Suites that share the machine go first.
private actor Machine {
    static let shared = Machine()

    /// With a sanitizer, one suite at a time is enough load.
    private let parts = Sanitizer.current == nil ? 3 : 1
    private var taken = 0
    private var waitingForPart: [CheckedContinuation<Void, Never>] = []
    private var waitingForWhole: [CheckedContinuation<Void, Never>] = []

    func acquire(isWhole: Bool) async {
        await withCheckedContinuation { turn in
            if isWhole { waitingForWhole.append(turn) } else { waitingForPart.append(turn) }
            admitWaiting()
        }
    }

    func release(isWhole: Bool) {
        taken -= isWhole ? parts : 1
        admitWaiting()
    }

    private func admitWaiting() {
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
