import Glibc
import Media
import Streams

/// Reads a descriptor and reports pauses.
struct PipeReader {
    enum Event {
        /// Bytes, and the nanoseconds for which the pipe was empty before them.
        case bytes([UInt8], afterGap: Int64)
        /// The pipe stayed empty for the requested time.
        case quiet
        /// Nothing happened; the caller may check other conditions.
        case nothing
        case end
    }

    /// The bytes per read: a pipe's usual capacity.
    private static let chunk = 65_536
    /// The longest wait, after which the caller checks its stop signal.
    private static let pollInterval: Int64 = 50_000_000
    private static let step: Int64 = 150_000

    let descriptor: CInt
    let clock: PaceClock
    /// Since when the pipe has been empty; `nil` if that is not known.
    private var emptySince: MonotonicTime?

    init(descriptor: CInt, clock: PaceClock) {
        self.descriptor = descriptor
        self.clock = clock
    }

    /// Blocks for 50 ms at most. `quiet` is the pause to report in nanoseconds, if any.
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
        // poll takes whole milliseconds only. Shorter waits sleep, in steps short enough to notice bytes in time.
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
