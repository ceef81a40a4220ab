import Media
import Synchronization

/// A path with its tracks and one ring of access units in capture order.
public final class Stream: Sendable {
    /// Where viewers find it: `/cam`.
    public let path: String
    /// The instant from which all tracks' media times count.
    public let epoch: MonotonicTime

    public init(path: String, epoch: MonotonicTime) {
        self.path = path
        self.epoch = epoch
    }

    /// Says which tracks follow, or that their parameters changed; a source calls it before its first unit.
    public func announce(_ tracks: [Track]) {
    }

    /// Hands over the next access unit, in capture order; never blocks for a viewer.
    public func publish(_ unit: AccessUnit) {
    }
}
