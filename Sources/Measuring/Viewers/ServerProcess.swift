import Glibc

/// Reads processor time, memory and descriptors of the server under test from proc(5).
public struct ServerProcess: Sendable {
    public let processID: Int32

    public init(processID: Int32) {
        self.processID = processID
    }

    /// The values at one time. The property names are JSON keys.
    public struct Snapshot: Codable, Equatable, Sendable {
        /// User and system time of all its threads since it started.
        public let processorSeconds: Double
        public let residentBytes: UInt64
        public let descriptorCount: Int
    }

    /// The present values; `nil` if the process does not exist or belongs to another user.
    public func snapshot() -> Snapshot? {
        guard let stat = Self.contents(of: "/proc/\(processID)/stat"),
            let ticks = Self.processorTicks(inStat: stat),
            let status = Self.contents(of: "/proc/\(processID)/status"),
            let resident = Self.residentBytes(inStatus: status),
            let descriptors = Self.entryCount(of: "/proc/\(processID)/fd")
        else { return nil }
        return Snapshot(
            processorSeconds: Double(ticks) / Double(max(1, sysconf(Int32(_SC_CLK_TCK)))), residentBytes: resident,
            descriptorCount: descriptors)
    }

    /// utime + stime: fields 14 and 15. The name in field 2 may contain blanks and parentheses; the last parenthesis ends it.
    static func processorTicks(inStat stat: String) -> UInt64? {
        guard let end = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[end...].split(separator: " ").dropFirst()
        guard fields.count > 12, let user = UInt64(fields[fields.startIndex + 11]),
            let system = UInt64(fields[fields.startIndex + 12])
        else { return nil }
        return user &+ system
    }

    static func residentBytes(inStatus status: String) -> UInt64? {
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        guard let kilobytes = line?.split(whereSeparator: { " \t".contains($0) }).dropFirst().first else { return nil }
        return UInt64(kilobytes).map { $0 &* 1_024 }
    }

    private static func contents(of path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 16_384)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    private static func entryCount(of folder: String) -> Int? {
        guard let directory = opendir(folder) else { return nil }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        // "." and ".." are not descriptors.
        return max(0, count - 2)
    }
}
