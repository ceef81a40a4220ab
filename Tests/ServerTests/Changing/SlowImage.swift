import Foundation
import TestSupport
import Testing

/// An image file that arrives slowly: a fifo.
struct SlowImage {
    private let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("image")
        try #require(mkfifo(path, 0o600) == 0)
        // A reader may have ended.
        signal(SIGPIPE, SIG_IGN)
    }

    /// The writing end; `nil` without a reader. The reader waits until it is written to or closed.
    func writer() -> Writer? {
        let fd = open(path, O_WRONLY | O_NONBLOCK)
        return fd < 0 ? nil : Writer(FileHandle(fileDescriptor: fd, closeOnDealloc: true))
    }

    func awaitReader() async throws -> Writer {
        var found: Writer?
        _ = await eventually(within: 10) {
            found = writer()
            return found != nil
        }
        return try #require(found)
    }

    struct Writer {
        private let handle: FileHandle

        init(_ handle: FileHandle) { self.handle = handle }

        /// Writes a black frame of 16 by 16, and closes.
        func write() {
            // Without a reader, it does not matter.
            try? handle.write(contentsOf: Data("P6 16 16 255\n".utf8) + Data(count: 768))
            try? handle.close()
        }
    }
}
