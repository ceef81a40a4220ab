import Foundation

/// Real inputs beside the checkout, in `../shared/data`: films, conformance streams, cameras' replies.
///
/// They are not part of the project. Where the folder is absent, tests that need it are skipped and say so:
/// `@Test(.enabled(if: SharedData.isPresent, "needs ../shared/data"))`.
public enum SharedData {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "shared/data")

    public static var isPresent: Bool { FileManager.default.fileExists(atPath: root.path) }

    /// The absolute path of `relativePath`, whether or not it exists.
    public static func path(_ relativePath: String) -> String {
        root.appending(path: relativePath).path
    }

    /// The whole file, or `nil` where it is absent.
    public static func bytes(_ relativePath: String) -> [UInt8]? {
        // Absence is an answer here, not an error.
        (try? Data(contentsOf: root.appending(path: relativePath))).map([UInt8].init)
    }

    /// Relative paths of all files in `folder`, ascending; empty where it is absent.
    public static func files(in folder: String) -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: path(folder))
        return (names ?? []).sorted().map { "\(folder)/\($0)" }
    }
}
