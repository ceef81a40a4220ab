import Foundation

/// The descriptions of `sdp/`, which are part of the project.
enum GoldenFiles {
    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appending(path: "sdp")

    /// The whole file: a missing one fails the test.
    static func bytes(_ relativePath: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appending(path: relativePath)))
    }

    /// Relative paths of all descriptions, ours and others'.
    static let all: [String] = ["ours", "devices"].flatMap { name in
        // An empty list makes `everyGoldenDescriptionIsThere` fail.
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: name).path)
        return (names ?? []).filter { $0.hasSuffix(".sdp") }.sorted().map { "\(name)/\($0)" }
    }
}
