import Synchronization

/// Limits the memory that many clients hold together, such as the fast starts of joining viewers over all loops. Thread-safe.
///
/// A viewer that joins and then reads nothing holds its fast start until it is disconnected. Viewers that join at the same frame
/// share one fast start, which counts once.
public final class MemoryBudget: Sendable {
    /// Memory that counts for as long as this object lives.
    public final class Charge: Sendable {
        private let budget: MemoryBudget
        private let byteCount: Int

        fileprivate init(_ byteCount: Int, to budget: MemoryBudget) {
            (self.byteCount, self.budget) = (byteCount, budget)
        }

        deinit {
            budget.heldByteCount.subtract(byteCount, ordering: .relaxed)
        }
    }

    private let maximumByteCount: Int
    private let heldByteCount = Atomic(0)

    /// - Parameter maximumByteCount: the default is 64 fast starts of the maximum length.
    public init(maximumByteCount: Int = 64_000_000) {
        self.maximumByteCount = maximumByteCount
    }

    /// Bytes that are held now.
    public var byteCount: Int { heldByteCount.load(ordering: .relaxed) }

    /// Takes `byteCount` bytes; `nil` if fewer are left.
    public func charge(_ byteCount: Int) -> Charge? {
        let sum = heldByteCount.add(byteCount, ordering: .relaxed).newValue
        guard sum <= maximumByteCount else {
            heldByteCount.subtract(byteCount, ordering: .relaxed)
            return nil
        }
        return Charge(byteCount, to: self)
    }
}
