import Capture
import Glibc
import Streams

/// What stands behind a path in the file system, as far as it decides how the path is read.
enum InputKind: Hashable, Sendable {
    case file
    /// A fifo or a device that bytes come from.
    case pipe
    /// A device of Video4Linux2, whether it is there now or not.
    case camera

    /// The device number that all of Video4Linux2's nodes have (the kernel's Documentation/admin-guide/devices.txt).
    private static let cameraMajor: UInt = 81

    /// Looks at `path`.
    ///
    /// - Throws: where it cannot be read as either, with what to do about it.
    init(of path: String) throws(SourceFailure) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard path.hasPrefix("/dev/video") else { throw .unreadable(path, code: errno) }
            // It may be plugged in later.
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
            throw SourceFailure(reason: "\(path) is no file, fifo or device")
        }
    }
}
