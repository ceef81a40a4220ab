import Foundation

/// The descriptions in `sdp/`.
enum GoldenFiles {
    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appending(path: "sdp")

    /// The content of a file; throws if it is missing.
    static func bytes(_ relativePath: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appending(path: relativePath)))
    }

    /// The relative paths of all descriptions.
    static let all: [String] = ["ours", "devices"].flatMap { name in
        // An empty list makes `allGoldenDescriptionsExist` fail.
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: name).path)
        return (names ?? []).filter { $0.hasSuffix(".sdp") }.sorted().map { "\(name)/\($0)" }
    }
}
