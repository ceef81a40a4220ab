import Capture
import Glibc
import Streams

/// The kind of a file as the source of a stream.
enum InputKind: Hashable, Sendable {
    case file
    /// A fifo, or a device from which bytes are read.
    case pipe
    /// A Video4Linux2 device, even if it is not connected now.
    case camera

    /// The major device number of Video4Linux2 (the kernel's Documentation/admin-guide/devices.txt).
    private static let cameraMajor: UInt = 81

    /// Determines the kind of the file at `path`.
    ///
    /// - Throws: if it cannot be a source, with a remedy.
    init(of path: String) throws(SourceFailure) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard path.hasPrefix("/dev/video") else { throw .unreadable(path, code: errno) }
            // It may be connected later.
            self = .camera
            return
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: self = .file
        case S_IFCHR where (status.st_rdev >> 8) & 0xFFF == Self.cameraMajor: self = .camera
        case S_IFIFO, S_IFCHR: self = .pipe
        case S_IFDIR:
            throw SourceFailure(reason: "\(path) is a folder", remedy: "name a file in it")
        default:
            throw SourceFailure(reason: "\(path) is not a file, fifo or device")
        }
    }
}
