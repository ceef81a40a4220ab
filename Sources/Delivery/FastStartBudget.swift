import Synchronization

/// Bounds the memory of all preludes that joining viewers hold, over all loops. From any thread.
///
/// A viewer that joins and then reads nothing holds its prelude until it is let go. Viewers that join at the same
/// picture share one prelude, which counts once.
public final class FastStartBudget: Sendable {
    /// Memory that is held for as long as this object lives.
    final class Charge: Sendable {
        private let budget: FastStartBudget
        private let byteCount: Int

        fileprivate init(_ byteCount: Int, to budget: FastStartBudget) {
            (self.byteCount, self.budget) = (byteCount, budget)
        }

        deinit {
            budget.heldByteCount.subtract(byteCount, ordering: .relaxed)
        }
    }

    private let maximumByteCount: Int
    private let heldByteCount = Atomic(0)

    /// - Parameter maximumByteCount: 64 preludes of the greatest length that is allowed by default.
    public init(maximumByteCount: Int = 64_000_000) {
        self.maximumByteCount = maximumByteCount
    }

    /// Bytes that are held now.
    var byteCount: Int { heldByteCount.load(ordering: .relaxed) }

    /// Takes `byteCount` bytes; `nil` if that is more than is left.
    func charge(_ byteCount: Int) -> Charge? {
        let sum = heldByteCount.add(byteCount, ordering: .relaxed).newValue
        guard sum <= maximumByteCount else {
            heldByteCount.subtract(byteCount, ordering: .relaxed)
            return nil
        }
        return Charge(byteCount, to: self)
    }
}
