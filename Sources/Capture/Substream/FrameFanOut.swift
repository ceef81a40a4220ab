import Codecs
import Media
import Reactor
import Synchronization

/// Hands the pictures of one source to others that code them anew, after the source's effects: a camera is captured and
/// decoded once, whatever its streams. All methods may be called from any thread.
///
/// Nobody is waited for: each branch has the newest picture only, and counts those that it never saw.
public final class FrameFanOut: Sendable {
    /// One reader's end.
    final class Subscriber: Sendable {
        struct Newest: Sendable {
            let picture: SharedFrame
            let time: MediaTime
            /// Pictures that came before it and after the one taken last.
            var skipped = 0
        }

        private let newest = Mutex<Newest?>(nil)
        private let doorbell: Doorbell

        fileprivate init(_ doorbell: Doorbell) {
            self.doorbell = doorbell
        }

        /// The newest picture that was not taken yet.
        func take() -> Newest? {
            newest.withLock { newest in
                defer { newest = nil }
                return newest
            }
        }

        fileprivate func put(_ picture: SharedFrame, at time: MediaTime) {
            newest.withLock { newest in
                newest = Newest(picture: picture, time: time, skipped: newest.map { $0.skipped + 1 } ?? 0)
            }
            doorbell.ring()
        }
    }

    private let subscribers = Mutex<[Subscriber]>([])
    private let hasPictures = Atomic(false)

    public init() {}

    /// Whether its source has raw pictures to offer; the H.264 that a camera codes itself is only in the stream.
    var offersFrames: Bool {
        get { hasPictures.load(ordering: .relaxed) }
        set { hasPictures.store(newValue, ordering: .relaxed) }
    }

    /// Whether there is a branch.
    var hasSubscribers: Bool { subscribers.withLock { !$0.isEmpty } }

    /// A branch that rings at each picture, until it is detached.
    func attach(_ doorbell: Doorbell) -> Subscriber {
        let subscriber = Subscriber(doorbell)
        subscribers.withLock { $0.append(subscriber) }
        return subscriber
    }

    func detach(_ subscriber: Subscriber) {
        subscribers.withLock { $0.removeAll { $0 === subscriber } }
    }

    /// Puts the picture on all branches. Costs a lock where there are none.
    ///
    /// - Parameter pool: of pictures of this size, for one whose memory was lent.
    func offer(_ frame: VideoFrame, at time: MediaTime, pool: VideoFramePool) throws(CodecFailure) {
        let subscribers = subscribers.withLock { $0 }
        guard !subscribers.isEmpty else { return }
        let picture = try frame.shared(pool)
        for subscriber in subscribers { subscriber.put(picture, at: time) }
    }
}
