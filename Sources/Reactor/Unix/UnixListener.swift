import CLinux
import Glibc

/// A Unix socket in the file system that accepts connections from processes of its owner only (mode 0600).
///
/// It replaces a stale socket, which a dead process has left behind, but no socket that is in use and no other file. At the end
/// of its lifetime it removes its file.
public struct UnixListener: ~Copyable, Sendable {
    private let descriptor: Descriptor
    private let path: String
    /// The file that was created. A file that another process has put at the path since is not removed.
    private let file: FileIdentity

    /// Listens at `path`; its folder must exist.
    ///
    /// - Throws: `isAddressInUse` if another process listens there, ENOTSOCK if another file is in the way.
    public init(at path: String, backlog: Int32 = 16) throws(SystemError) {
        let descriptor = try Descriptor(socket(AF_UNIX, clinux_stream, 0), from: "socket")
        // Set before the socket has a name, so that other users can never connect.
        guard fchmod(descriptor.fd, 0o600) == 0 else { throw .last("fchmod") }
        let lock = try FolderLock(of: path)
        if try !Self.bind(descriptor.fd, to: path) {
            try Self.removeStaleSocket(at: path)
            guard try Self.bind(descriptor.fd, to: path) else { throw SystemError(call: "bind", code: EADDRINUSE) }
        }
        guard listen(descriptor.fd, backlog) == 0 else { throw .last("listen") }
        guard let file = FileIdentity(of: path) else { throw .last("lstat") }
        self.descriptor = descriptor
        self.path = path
        self.file = file
        lock.release()
    }

    deinit {
        if FileIdentity(of: path) == file { _ = unlink(path) }
    }

    public var fd: Int32 { descriptor.fd }

    /// Accepts the next connection; returns `nil` if none is pending.
    ///
    /// - Throws: `isDescriptorExhaustion` if the process is out of descriptors.
    public func accept() throws(SystemError) -> UnixSocket? {
        let accepted = uninterrupted { accept4(fd, nil, nil, clinux_accept_flags) }
        if accepted >= 0 { return UnixSocket(adopting: Descriptor(adopting: accepted)) }
        guard errno == EAGAIN || errno == ECONNABORTED else { throw .last("accept") }
        return nil
    }

    /// Returns false if the name exists already.
    private static func bind(_ fd: Int32, to path: String) throws(SystemError) -> Bool {
        let failure = try sockaddr_un.with(path: path) { address, byteCount in
            Glibc.bind(fd, address, byteCount) == 0 ? nil : SystemError.last("bind")
        }
        guard let failure else { return true }
        guard failure.isAddressInUse else { throw failure }
        return false
    }

    private static func removeStaleSocket(at path: String) throws(SystemError) {
        var status = stat()
        // Another process may have removed it meanwhile, which is fine.
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw SystemError(call: "bind", code: ENOTSOCK) }
        do throws(SystemError) {
            _ = try UnixSocket(connectingTo: path)
        } catch {
            // Only ECONNREFUSED means that no process listens; a full queue (EAGAIN), for example, means that one does.
            guard error.code == ECONNREFUSED else { throw SystemError(call: "bind", code: EADDRINUSE) }
            _ = unlink(path)
            return
        }
        throw SystemError(call: "bind", code: EADDRINUSE)
    }
}

/// The identity of a file, independent of its name.
private struct FileIdentity: Equatable, Sendable {
    private let device: dev_t
    private let number: ino_t

    /// Returns `nil` if the file does not exist.
    init?(of path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        device = status.st_dev
        number = status.st_ino
    }
}

/// A lock on the socket's folder, because two processes that find the same stale socket must not both replace it: the second
/// would remove the new socket of the first.
private struct FolderLock: ~Copyable {
    private let descriptor: Descriptor

    /// Waits for at most one second for the lock on the folder of `path`.
    init(of path: String) throws(SystemError) {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = try Descriptor(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), from: "open")
        try Self.lock(descriptor.fd)
        self.descriptor = descriptor
    }

    private static func lock(_ fd: Int32) throws(SystemError) {
        for _ in 0..<20 {
            if flock(fd, LOCK_EX | LOCK_NB) == 0 { return }
            guard errno == EWOULDBLOCK || errno == EINTR else { break }
            // flock has no deadline, and a process that keeps the lock must not block the start.
            usleep(50_000)
        }
        throw .last("flock")
    }

    /// Releases the lock by closing the folder.
    consuming func release() {}
}
