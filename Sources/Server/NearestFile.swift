import FoundationEssentials

/// The path that `path`, which does not exist, was most likely meant to be: one in the same folder with a name near its own.
func nearestFile(to path: String) -> String? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard let name = parts.last, !name.isEmpty else { return nil }
    let folder = parts.dropLast().map { $0 + "/" }.joined()
    // A folder that is not there either has no names to offer.
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder) else {
        return nil
    }
    return nearestName(to: String(name), among: names.prefix(10_000)).map { folder + $0 }
}
