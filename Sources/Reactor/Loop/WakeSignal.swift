import CLinux
import Glibc
import Synchronization

/// Wakes a loop from any thread: however many callers there are, one write per wait.
///
/// The loop watches the eventfd edge-triggered, so that it need not read it: each write is an edge of its own.
struct WakeSignal: ~Copyable, Sendable {
    let fd: Int32
    private let isPending = Atomic(false)

    init() throws(SystemError) {
        fd = try Descriptor(eventfd(0, clinux_eventfd_flags), from: "eventfd").release()
    }

    deinit {
        _ = close(fd)
    }

    /// Makes the loop's wait return, now or when it begins. From any thread.
    func raise() {
        // Whoever finds it pending has its request seen: the loop acquires this flag before it looks at requests.
        guard !isPending.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // The counter would overflow after 2^64 writes: this cannot fail.
        _ = eventfd_write(fd, 1)
    }

    /// Arms it again; the loop calls it after each wait, before it looks at what was requested.
    func rearm() {
        _ = isPending.exchange(false, ordering: .acquiringAndReleasing)
    }
}
