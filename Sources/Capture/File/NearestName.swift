import Glibc

/// The file that somebody meant who mistyped its name.
enum NearestName {
    /// The path in the same folder whose name is most like the one given; `nil` where none is alike.
    static func inFolder(of path: String) -> String? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard let name = parts.last, !name.isEmpty else { return nil }
        let folder = parts.dropLast().joined(separator: "/")
        let wanted = Array(name.lowercased().utf8)
        let candidates = names(in: folder.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : folder)
            .map { ($0, distance(wanted, Array($0.lowercased().utf8))) }
        guard let best = candidates.min(by: { $0.1 < $1.1 }), best.1 <= max(2, wanted.count / 3) else { return nil }
        return parts.count > 1 ? "\(folder)/\(best.0)" : best.0
    }

    /// Regular names in a folder, at most a thousand.
    private static func names(in folder: String) -> [String] {
        guard let handle = opendir(folder) else { return [] }
        defer { closedir(handle) }
        var names: [String] = []
        while names.count < 1000, let entry = readdir(handle) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    /// Letters to be changed, added or left out (Levenshtein).
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var row = Array(0...right.count)
        for (index, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in right.enumerated() {
                let changed = diagonal + (letter == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(changed, row[column] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}
