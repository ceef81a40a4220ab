import CLinux
import Media

extension MonotonicTime {
    /// Reads `CLOCK_MONOTONIC`.
    public static func now() -> MonotonicTime {
        MonotonicTime(nanoseconds: read(CLOCK_MONOTONIC))
    }
}

/// The host's wall clock.
public enum WallClock {
    /// Nanoseconds since 1970: reads `CLOCK_REALTIME`.
    public static func unixNanoseconds() -> Int64 {
        read(CLOCK_REALTIME)
    }
}

private func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    let status = clock_gettime(clock, &time)
    precondition(status == 0, "the kernel has this clock since Linux 2.6")
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
}
