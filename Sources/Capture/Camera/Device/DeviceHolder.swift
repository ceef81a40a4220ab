import Glibc

/// A process that has a device open, as listed in /proc: users see their own processes, root sees all.
struct DeviceHolder: Hashable, Sendable {
    let process: Int
    let name: String

    /// All processes that have `path` open, except this one.
    static func all(of path: String) -> [DeviceHolder] {
        let own = Int(getpid())
        return entries(of: "/proc").compactMap { Int($0) }.filter { $0 != own && holds($0, path) }.sorted()
            .map { DeviceHolder(process: $0, name: name(of: $0)) }
    }

    private static func holds(_ process: Int, _ path: String) -> Bool {
        let folder = "/proc/\(process)/fd"
        return entries(of: folder).contains { target(of: "\(folder)/\($0)") == path }
    }

    private static func target(of link: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        return readlink(link, &buffer, buffer.count - 1) > 0 ? text(buffer) : nil
    }

    private static func name(of process: Int) -> String {
        guard let file = fopen("/proc/\(process)/comm", "re") else { return "a process" }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 64)
        return fgets(&buffer, CInt(buffer.count), file) == nil ? "a process" : text(buffer)
    }
}

/// The device nodes of Video4Linux2, cameras and others, in the order of their numbers.
func cameraNodes() -> [String] {
    let numbers = entries(of: "/dev").filter { $0.hasPrefix("video") }.compactMap { Int($0.dropFirst(5)) }
    return numbers.sorted().map { "/dev/video\($0)" }
}

/// The names in a folder; empty if it cannot be read.
private func entries(of folder: String) -> [String] {
    guard let handle = opendir(folder) else { return [] }
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = readdir(handle) {
        names.append(withUnsafeBytes(of: &entry.pointee.d_name) { text(UnsafeRawBufferPointer($0)) })
    }
    return names
}
