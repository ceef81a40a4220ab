import CLinux
import Glibc
import Synchronization

/// Wakes a loop from any thread, with at most one write per wait.
///
/// The loop watches the eventfd edge-triggered. Each write is a new edge, so that the loop never needs to read it.
struct WakeSignal: ~Copyable, Sendable {
    let fd: Int32
    private let isPending = Atomic(false)

    init() throws(SystemError) {
        fd = try Descriptor(eventfd(0, clinux_eventfd_flags), from: "eventfd").release()
    }

    deinit {
        _ = close(fd)
    }

    /// Makes the current or next wait of the loop return. Any thread may call this.
    func raise() {
        // If a signal is pending, the loop will see this caller's request: it acquires this flag before it checks for requests.
        guard !isPending.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // The counter overflows only after 2^64 writes, so that this cannot fail.
        _ = eventfd_write(fd, 1)
    }

    /// Rearms the signal. The loop calls this after each wait, before it checks for requests.
    func rearm() {
        _ = isPending.exchange(false, ordering: .acquiringAndReleasing)
    }
}
