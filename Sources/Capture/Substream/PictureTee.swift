import Codecs
import Media
import Reactor
import Synchronization

/// Hands the pictures of one source to others that code them anew, after the source's effects: a camera is captured and
/// decoded once, whatever its streams. All methods may be called from any thread.
///
/// Nobody is waited for: each branch has the newest picture only, and counts those that it never saw.
public final class PictureTee: Sendable {
    /// One reader's end.
    final class Branch: Sendable {
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

    private let branches = Mutex<[Branch]>([])
    private let hasPictures = Atomic(false)

    public init() {}

    /// Whether its source has raw pictures to offer; the H.264 that a camera codes itself is only in the stream.
    var isFed: Bool {
        get { hasPictures.load(ordering: .relaxed) }
        set { hasPictures.store(newValue, ordering: .relaxed) }
    }

    /// Whether there is a branch.
    var isRead: Bool { branches.withLock { !$0.isEmpty } }

    /// A branch that rings at each picture, until it is detached.
    func attach(_ doorbell: Doorbell) -> Branch {
        let branch = Branch(doorbell)
        branches.withLock { $0.append(branch) }
        return branch
    }

    func detach(_ branch: Branch) {
        branches.withLock { $0.removeAll { $0 === branch } }
    }

    /// Puts the picture on all branches. Costs a lock where there are none.
    ///
    /// - Parameter pool: of pictures of this size, for one whose memory was lent.
    func offer(_ frame: VideoFrame, at time: MediaTime, pool: VideoFramePool) throws(CodecFailure) {
        let branches = branches.withLock { $0 }
        guard !branches.isEmpty else { return }
        let picture = try frame.shared(pool)
        for branch in branches { branch.put(picture, at: time) }
    }
}
