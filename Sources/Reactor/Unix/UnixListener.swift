import CLinux
import Glibc

/// A socket in the file system that accepts connections of this host, for its owner alone (mode 0600).
///
/// A socket that a dead process has left behind is replaced; one that is answered never is, nor any other file. It leaves
/// the file system together with this value.
public struct UnixListener: ~Copyable, Sendable {
    private let descriptor: Descriptor
    private let path: String
    /// The file that was made: what others have put there since is theirs.
    private let file: FileIdentity

    /// Listens at `path`, whose folder exists.
    ///
    /// - Throws: `isAddressInUse` where somebody answers there, ENOTSOCK where another file is in the way.
    public init(at path: String, backlog: Int32 = 16) throws(SystemError) {
        let descriptor = try Descriptor(socket(AF_UNIX, clinux_stream, 0), from: "socket")
        // Before it has a name: there is no instant at which others may connect.
        guard fchmod(descriptor.fd, 0o600) == 0 else { throw .last("fchmod") }
        let lock = try FolderLock(of: path)
        if try !Self.bind(descriptor.fd, to: path) {
            try Self.removeDeadSocket(at: path)
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

    /// The next connection; `nil` where none waits.
    ///
    /// - Throws: `isDescriptorExhaustion` where the process is out of descriptors.
    public func accept() throws(SystemError) -> UnixSocket? {
        let accepted = uninterrupted { accept4(fd, nil, nil, clinux_accept_flags) }
        if accepted >= 0 { return UnixSocket(adopting: Descriptor(adopting: accepted)) }
        guard errno == EAGAIN || errno == ECONNABORTED else { throw .last("accept") }
        return nil
    }

    /// False where something has that name.
    private static func bind(_ fd: Int32, to path: String) throws(SystemError) -> Bool {
        let failure = try sockaddr_un.with(path: path) { address, byteCount in
            Glibc.bind(fd, address, byteCount) == 0 ? nil : SystemError.last("bind")
        }
        guard let failure else { return true }
        guard failure.isAddressInUse else { throw failure }
        return false
    }

    private static func removeDeadSocket(at path: String) throws(SystemError) {
        var status = stat()
        // It may have gone meanwhile: so much the better.
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw SystemError(call: "bind", code: ENOTSOCK) }
        do throws(SystemError) {
            _ = try UnixSocket(connectingTo: path)
        } catch {
            // Too many waiting is an answer, too; only this is none.
            guard error.code == ECONNREFUSED else { throw SystemError(call: "bind", code: EADDRINUSE) }
            _ = unlink(path)
            return
        }
        throw SystemError(call: "bind", code: EADDRINUSE)
    }
}

/// Which file it is, whatever its name.
private struct FileIdentity: Equatable, Sendable {
    private let device: dev_t
    private let number: ino_t

    /// `nil` where there is none.
    init?(of path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        device = status.st_dev
        number = status.st_ino
    }
}

/// Two processes that find the same dead socket must not both replace it: the second would take away the first's.
private struct FolderLock: ~Copyable {
    private let descriptor: Descriptor

    /// Waits a second at most for the lock on the folder that `path` is in.
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
            // The kernel waits for a lock without a deadline, and who holds it for long must not hold up a start.
            usleep(50_000)
        }
        throw .last("flock")
    }

    /// Closing the folder gives up the lock.
    consuming func release() {}
}
