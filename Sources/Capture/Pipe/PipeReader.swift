import Glibc
import Media
import Streams

/// Waits for bytes on a descriptor, and for silence.
struct PipeReader {
    enum Event {
        /// Bytes, and for how many nanoseconds the pipe had been empty before them.
        case bytes([UInt8], afterGap: Int64)
        /// The pipe stayed empty for as long as was asked.
        case quiet
        /// Time to look around.
        case nothing
        case end
    }

    /// Bytes read at once: a pipe's usual capacity.
    private static let chunk = 65_536
    /// `stop` is heard at least this often.
    private static let pollInterval: Int64 = 50_000_000
    private static let step: Int64 = 150_000

    let descriptor: CInt
    let clock: PaceClock
    /// Since when the pipe has been found empty; `nil` while it is not known to be.
    private var emptySince: MonotonicTime?

    init(descriptor: CInt, clock: PaceClock) {
        self.descriptor = descriptor
        self.clock = clock
    }

    /// Blocks for 50 ms at most. `quiet` is how long a silence has a meaning, if it has.
    mutating func next(quiet: Int64?, _ label: String) throws(SourceFailure) -> Event {
        var ready = try hasBytes(within: 0, label)
        if !ready {
            let since = emptySince ?? clock.now()
            emptySince = since
            let elapsed = clock.now() - since
            let remaining = quiet.map { $0 - elapsed }
            if let remaining, remaining <= 0 { return .quiet }
            ready = try hasBytes(within: min(remaining ?? Self.pollInterval, Self.pollInterval), label)
            if !ready {
                if let quiet, clock.now() - since >= quiet { return .quiet }
                return .nothing
            }
        }
        let gap = emptySince.map { clock.now() - $0 } ?? 0
        return try read(afterGap: gap, label)
    }

    private mutating func read(afterGap gap: Int64, _ label: String) throws(SourceFailure) -> Event {
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.chunk) { buffer, initialized in
            count = Glibc.read(descriptor, buffer.baseAddress, Self.chunk)
            initialized = max(0, count)
        }
        if count < 0 {
            guard errno == EAGAIN || errno == EINTR else { throw failure(label) }
            return .nothing
        }
        emptySince = nil
        return count == 0 ? .end : .bytes(bytes, afterGap: gap)
    }

    private func hasBytes(within nanoseconds: Int64, _ label: String) throws(SourceFailure) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // poll knows whole milliseconds only: what is shorter is slept, in steps short enough to notice bytes in time.
        let milliseconds = CInt(nanoseconds / 1_000_000)
        if milliseconds == 0 && nanoseconds > 0 {
            var step = timespec(tv_sec: 0, tv_nsec: Int(min(nanoseconds, Self.step)))
            nanosleep(&step, nil)
        }
        let count = Glibc.poll(&entry, 1, milliseconds)
        if count < 0 {
            guard errno == EINTR else { throw failure(label) }
            return false
        }
        return count > 0
    }

    private func failure(_ label: String) -> SourceFailure {
        SourceFailure(reason: "\(label) cannot be read: \(String(cString: strerror(errno)))")
    }
}
