import CFFmpeg
import Synchronization

/// Ends a blocked read from another thread: libavformat polls it while it waits.
public final class Interruption: Sendable {
    private let isSet = Atomic<Bool>(false)

    public init() {}

    /// Makes the current read and all later ones fail.
    public func interrupt() { isSet.store(true, ordering: .releasing) }

    /// Allows reads again.
    public func reset() { isSet.store(false, ordering: .releasing) }

    public var isInterrupted: Bool { isSet.load(ordering: .acquiring) }

    /// The callback for libavformat. It does not retain: the caller keeps the interruption alive as long as the context.
    var callback: AVIOInterruptCB {
        AVIOInterruptCB(
            callback: { opaque in
                guard let opaque else { return 0 }
                return Unmanaged<Interruption>.fromOpaque(opaque).takeUnretainedValue().isInterrupted ? 1 : 0
            },
            opaque: Unmanaged.passUnretained(self).toOpaque())
    }
}
