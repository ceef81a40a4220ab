import Glibc

/// What the process has used of the host.
public struct ProcessUsage: Hashable, Sendable {
    /// Memory that is not swapped out, in bytes.
    public let residentByteCount: Int
    /// Processor time of all threads, in seconds.
    public let processorSeconds: Double

    /// `nil` if the kernel does not tell, as without `/proc`.
    public static func current() -> Self? {
        var usage = rusage()
        guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0, let resident = residentByteCount() else {
            return nil
        }
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000 }
        return Self(residentByteCount: resident, processorSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime))
    }

    /// The second number of `/proc/self/statm`, which counts pages.
    private static func residentByteCount() -> Int? {
        let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = read(file, &bytes, bytes.count)
        guard count > 0 else { return nil }
        let numbers = String(decoding: bytes[..<count], as: UTF8.self).split(separator: " ")
        guard numbers.count > 1, let pages = Int(numbers[1]) else { return nil }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
