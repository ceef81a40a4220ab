import Foundation

/// A temporary folder, which is deleted at the end of this object's lifetime.
public final class TemporaryFolder: Sendable {
    public let path: String

    public init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit {
        // A remaining temporary folder does no harm.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The absolute path of `name` in the folder.
    public func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Returns the file's bytes; empty if it does not exist.
    public func bytes(_ name: String) -> [UInt8] {
        // A missing file is a normal result.
        (try? Data(contentsOf: URL(filePath: file(name)))).map([UInt8].init) ?? []
    }

    public func byteCount(_ name: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: file(name))[.size] as? Int) ?? 0
    }

    public func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: file(name)))
    }
}
