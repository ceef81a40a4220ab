import Synchronization

/// The bytes of all kept segments. Thread-safe.
final class PlaybackMemory: Sendable {
    private let maximumByteCount: Int
    private let heldByteCount = Atomic(0)

    init(maximumByteCount: Int) {
        self.maximumByteCount = maximumByteCount
    }

    var byteCount: Int { heldByteCount.load(ordering: .relaxed) }

    /// Notes that the bytes of one segmenter have changed.
    ///
    /// - Returns: by how many bytes all of them together are above the limit; 0 if they are not.
    func changed(by byteCount: Int) -> Int {
        let sum = heldByteCount.add(byteCount, ordering: .relaxed).newValue
        return max(0, sum - maximumByteCount)
    }
}
