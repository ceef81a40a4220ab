import Foundation

/// Real inputs beside the checkout, in `../shared/data`: video files, conformance streams, responses of cameras.
///
/// They are not part of the project. Tests that need them are skipped if the folder is absent:
/// `@Test(.enabled(if: SharedData.isPresent, "needs ../shared/data"))`.
public enum SharedData {
    private static let root = Checkout.root.deletingLastPathComponent().appending(path: "shared/data")

    public static var isPresent: Bool { FileManager.default.fileExists(atPath: root.path) }

    /// The absolute path of `relativePath`, whether or not it exists.
    public static func path(_ relativePath: String) -> String {
        root.appending(path: relativePath).path
    }

    /// Returns the whole file, or `nil` if it is absent.
    public static func bytes(_ relativePath: String) -> [UInt8]? {
        // A missing file is a normal result.
        (try? Data(contentsOf: root.appending(path: relativePath))).map([UInt8].init)
    }

    /// Returns the relative paths of all files in `folder` in ascending order; empty if the folder is absent.
    public static func files(in folder: String) -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: path(folder))
        return (names ?? []).sorted().map { "\(folder)/\($0)" }
    }
}
