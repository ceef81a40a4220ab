import Capture
import Glibc
import Streams

/// What stands behind a path in the file system, as far as it decides how the path is read.
enum InputKind: Hashable, Sendable {
    case file
    /// A fifo or a device that bytes come from.
    case pipe

    /// Looks at `path`.
    ///
    /// - Throws: where it cannot be read as either, with what to do about it.
    init(of path: String) throws(SourceFailure) {
        if path.hasPrefix("/dev/video") {
            throw SourceFailure(
                reason: "\(path) is a camera, and cameras are not read yet",
                remedy: "pipe it: rpicam-vid -t 0 --inline -o - | apus serve -")
        }
        var status = stat()
        guard stat(path, &status) == 0 else { throw .unreadable(path, code: errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: self = .file
        case S_IFIFO, S_IFCHR: self = .pipe
        case S_IFDIR:
            throw SourceFailure(reason: "\(path) is a folder", remedy: "name a file in it")
        default:
            throw SourceFailure(reason: "\(path) is no file, fifo or device")
        }
    }
}
