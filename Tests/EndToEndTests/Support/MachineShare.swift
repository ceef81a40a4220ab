import TestSupport
import Testing

/// The share of the machine that a suite has while its tests run: all of it if they measure times or play in real time; otherwise
/// a part, because they mostly wait for responses and frames.
struct MachineShare: SuiteTrait, TestScoping {
    fileprivate enum Size {
        case whole, part
        /// A part for a long time. These go first, so that none of them is the last one, alone.
        case longPart
    }

    fileprivate let size: Size

    func provideScope(
        for test: Test, testCase: Test.Case?, performing tests: @Sendable () async throws -> Void
    ) async throws {
        await Machine.shared.acquire(size)
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await tests()) } catch { outcome = .failure(error) }
        await Machine.shared.release(size)
        try outcome.get()
    }
}

extension Trait where Self == MachineShare {
    /// No other suite runs at the same time.
    static var exclusive: Self { Self(size: .whole) }

    /// Up to two other suites run at the same time.
    static var sharesMachine: Self { Self(size: .part) }

    /// The same for a suite of more than half a minute.
    static var sharesMachineForLong: Self { Self(size: .longPart) }
}

/// Grants the shares. Suites that share the machine go first.
private actor Machine {
    static let shared = Machine()

    /// With a sanitizer, one suite at a time is enough load.
    private let parts = Sanitizer.current == nil ? 3 : 1
    private var taken = 0
    private var waiting: [MachineShare.Size: [CheckedContinuation<Void, Never>]] = [:]

    func acquire(_ size: MachineShare.Size) async {
        await withCheckedContinuation { turn in
            waiting[size, default: []].append(turn)
            admitWaiting()
        }
    }

    func release(_ size: MachineShare.Size) {
        taken -= size == .whole ? parts : 1
        admitWaiting()
    }

    private func admitWaiting() {
        while taken < parts, admit(.longPart) || admit(.part) { taken += 1 }
        if taken == 0, admit(.whole) { taken = parts }
    }

    /// Admits the first that waits for such a share; false if none does.
    private func admit(_ size: MachineShare.Size) -> Bool {
        guard waiting[size]?.isEmpty == false else { return false }
        waiting[size]?.removeFirst().resume()
        return true
    }
}
