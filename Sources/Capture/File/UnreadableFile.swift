import Glibc
import Streams

extension SourceFailure {
    /// Why `path` cannot be read; `code` is the errno. If the file is missing, the remedy names the most similar one.
    public static func unreadable(_ path: String, code: CInt) -> SourceFailure {
        guard code == ENOENT || code == ENOTDIR else {
            return SourceFailure(
                reason: "\(path) cannot be read: \(String(cString: strerror(code)))",
                remedy: "check its permissions and those of its folders")
        }
        return SourceFailure(
            reason: "no file at \(path)",
            remedy: nearestFile(to: path).map { "did you mean \($0)?" } ?? "check the path")
    }
}

/// The path in the same folder with the most similar name; `nil` if none is similar.
private func nearestFile(to path: String) -> String? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard let name = parts.last, !name.isEmpty else { return nil }
    let folder = parts.dropLast().map { $0 + "/" }.joined()
    return nearestName(to: String(name), among: names(in: folder.isEmpty ? "." : folder)).map { folder + $0 }
}

/// The names of a folder's files that are not hidden, at most ten thousand.
private func names(in folder: String) -> [String] {
    guard let handle = opendir(folder) else { return [] }
    defer { closedir(handle) }
    var names: [String] = []
    while names.count < 10_000, let entry = readdir(handle) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if !name.hasPrefix(".") { names.append(name) }
    }
    return names
}
