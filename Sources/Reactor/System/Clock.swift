import CLinux
import Media

extension MonotonicTime {
    /// Reads `CLOCK_MONOTONIC`.
    public static func now() -> MonotonicTime {
        MonotonicTime(nanoseconds: read(CLOCK_MONOTONIC))
    }

    /// Blocks the calling thread until this instant.
    public func wait() {
        var instant = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &instant, nil) == EINTR {}
    }
}

/// The host's wall clock.
public enum WallClock {
    /// Nanoseconds since 1970: reads `CLOCK_REALTIME`.
    public static func unixNanoseconds() -> Int64 {
        read(CLOCK_REALTIME)
    }
}

extension ClockReading {
    /// Reads both clocks at practically the same instant: makes up to five attempts and takes the one with the shortest delay.
    public static func now() -> ClockReading {
        var (best, shortest) = (ClockReading(monotonic: .now(), unixNanoseconds: 0), Int64.max)
        for _ in 0..<5 where shortest > 1_000 {
            let (before, wall, after) = (MonotonicTime.now(), WallClock.unixNanoseconds(), MonotonicTime.now())
            guard after - before < shortest else { continue }
            shortest = after - before
            best = ClockReading(monotonic: before + shortest / 2, unixNanoseconds: wall)
        }
        return best
    }
}

/// The processor time of the calling thread, user and system time together.
public enum ProcessorClock {
    /// Nanoseconds of processor time that the calling thread has used: reads `CLOCK_THREAD_CPUTIME_ID`.
    public static func threadNanoseconds() -> Int64 {
        read(CLOCK_THREAD_CPUTIME_ID)
    }
}

private func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    let status = clock_gettime(clock, &time)
    precondition(status == 0, "the kernel has this clock since Linux 2.6")
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
}
