import CFFmpeg
import Synchronization

/// Ends a read that hangs, from another thread: libavformat asks it again and again while it waits.
public final class Interruption: Sendable {
    private let isSet = Atomic<Bool>(false)

    public init() {}

    /// Makes the read under way, and all later ones, fail.
    public func interrupt() { isSet.store(true, ordering: .releasing) }

    /// Allows reading again.
    public func reset() { isSet.store(false, ordering: .releasing) }

    public var isInterrupted: Bool { isSet.load(ordering: .acquiring) }

    /// For libavformat. It does not retain: whoever hands it over keeps the interruption alive as long as the context.
    var callback: AVIOInterruptCB {
        AVIOInterruptCB(
            callback: { opaque in
                guard let opaque else { return 0 }
                return Unmanaged<Interruption>.fromOpaque(opaque).takeUnretainedValue().isInterrupted ? 1 : 0
            },
            opaque: Unmanaged.passUnretained(self).toOpaque())
    }
}
