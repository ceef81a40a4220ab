import Foundation

/// The checkout from which the tests were built.
public enum Checkout {
    public static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The absolute path of `relativePath`, whether or not it exists.
    public static func path(_ relativePath: String) -> String { root.appending(path: relativePath).path }
}
