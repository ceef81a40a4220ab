import Codecs
import Media
import Reactor
import Synchronization

/// Distributes one source's frames, after its effects, to substreams that encode them again. A camera is therefore captured and
/// decoded only once. All methods may be called from any thread.
///
/// The source never waits: each subscriber has only the newest frame, and the number of frames that it missed.
public final class FrameFanOut: Sendable {
    /// One substream's end.
    final class Subscriber: Sendable {
        struct LatestFrame: Sendable {
            let frame: SharedFrame
            let time: MediaTime
            /// The number of frames between this one and the last one taken.
            var skipped = 0
        }

        private let newest = Mutex<LatestFrame?>(nil)
        private let doorbell: Doorbell

        fileprivate init(_ doorbell: Doorbell) {
            self.doorbell = doorbell
        }

        /// The newest frame, if it was not taken yet.
        func take() -> LatestFrame? {
            newest.withLock { newest in
                defer { newest = nil }
                return newest
            }
        }

        fileprivate func put(_ frame: SharedFrame, at time: MediaTime) {
            newest.withLock { newest in
                newest = LatestFrame(frame: frame, time: time, skipped: newest.map { $0.skipped + 1 } ?? 0)
            }
            doorbell.ring()
        }
    }

    private let subscribers = Mutex<[Subscriber]>([])
    private let isOffering = Atomic(false)

    public init() {}

    /// Whether the source delivers raw frames. H.264 from a camera's own encoder is only in the stream.
    var offersFrames: Bool {
        get { isOffering.load(ordering: .relaxed) }
        set { isOffering.store(newValue, ordering: .relaxed) }
    }

    /// Whether there is a subscriber.
    var hasSubscribers: Bool { subscribers.withLock { !$0.isEmpty } }

    /// Adds a subscriber. Its doorbell rings at each frame until it is detached.
    func attach(_ doorbell: Doorbell) -> Subscriber {
        let subscriber = Subscriber(doorbell)
        subscribers.withLock { $0.append(subscriber) }
        return subscriber
    }

    func detach(_ subscriber: Subscriber) {
        subscribers.withLock { $0.removeAll { $0 === subscriber } }
    }

    /// Gives the frame to all subscribers. Without subscribers this costs one lock.
    ///
    /// - Parameter pool: frames of the same size, for copies, if the driver takes the frame's memory back.
    func offer(_ frame: VideoFrame, at time: MediaTime, pool: VideoFramePool) throws(CodecFailure) {
        let subscribers = subscribers.withLock { $0 }
        guard !subscribers.isEmpty else { return }
        let shared = try frame.shared(pool)
        for subscriber in subscribers { subscriber.put(shared, at: time) }
    }
}
