import FoundationEssentials
import Glibc
import Reactor

/// Where the server keeps what it has made itself, from one start to the next.
public struct StateFolder: Hashable, Sendable {
    public let path: String

    /// Any folder.
    public init(at path: String) {
        self.path = path
    }

    /// That of this process; `nil` where it has neither a folder of its own nor a home.
    public static var usual: Self? {
        let environment = ProcessInfo.processInfo.environment
        return Self(environment, user: geteuid())
    }

    /// `$STATE_DIRECTORY` of systemd, whose first folder counts; else `/var/lib/apus` for root, and below `$XDG_STATE_HOME` or
    /// `~/.local/state` for others (XDG Base Directory Specification). What is relative is none.
    init?(_ environment: [String: String], user: UInt32) {
        func folder(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        if let own = folder("STATE_DIRECTORY")?.split(separator: ":").first {
            path = String(own)
        } else if user == 0 {
            path = "/var/lib/apus"
        } else if let state = folder("XDG_STATE_HOME") ?? folder("HOME").map({ $0 + "/.local/state" }) {
            path = state + "/apus"
        } else {
            return nil
        }
    }

    /// The file of the viewer's password.
    public var passwordFile: String { path + "/viewer-password" }

    /// The password that is kept here; `nil` where there is none yet.
    ///
    /// - Throws: where the file cannot be read, or holds something else.
    public func viewerPassword() throws(StateFailure) -> ViewerPassword? {
        let fd = open(passwordFile, O_RDONLY | O_CLOEXEC)
        if fd < 0, errno == ENOENT || errno == ENOTDIR { return nil }
        // Longer than any password.
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = fd < 0 ? -1 : read(fd, &bytes, bytes.count)
        let failure = SystemError(call: "read", code: errno)
        if fd >= 0 { close(fd) }
        guard count >= 0 else { throw StateFailure("\(passwordFile) cannot be read: \(failure)") }
        let text = String(decoding: bytes.prefix(count), as: UTF8.self)
        guard let password = ViewerPassword(String(text.prefix { !$0.isNewline })) else {
            throw StateFailure(
                "\(passwordFile) holds no password of 8 to 64 lower-case letters and digits: correct it, or remove it to get "
                    + "another",
                .malformedPassword)
        }
        return password
    }

    /// Keeps `password` for its owner alone, unless one is kept here by now: of two servers that start together, both have the
    /// first one's.
    ///
    /// - Returns: what is kept.
    func keep(_ password: ViewerPassword) throws(StateFailure) -> ViewerPassword {
        try make()
        let draft = "\(passwordFile).\(getpid())"
        try write(Array("\(password.text)\n".utf8), to: draft)
        defer { unlink(draft) }
        guard link(draft, passwordFile) != 0 else {
            syncFolder()
            return password
        }
        let failure = SystemError(call: "link", code: errno)
        guard let other = try viewerPassword() else { throw StateFailure("cannot make \(passwordFile): \(failure)") }
        return other
    }

    /// Makes the folder, and those above it, for its owner alone.
    func make() throws(StateFailure) {
        for index in path.indices.dropFirst() where path[index] == "/" { mkdir(String(path[..<index]), 0o700) }
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw StateFailure("cannot make the folder \(path): \(SystemError(call: "mkdir", code: errno))")
        }
    }

    /// Makes the file, in place of what is there. Its contents are on the disk when this returns: a file that is linked to a name
    /// before that may be empty after a power failure.
    ///
    /// - Parameter mode: who may read it; by default its owner alone.
    func write(_ bytes: [UInt8], to file: String, mode: mode_t = 0o600) throws(StateFailure) {
        unlink(file)
        let fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard fd >= 0 else { throw StateFailure("cannot make \(file): \(SystemError(call: "open", code: errno))") }
        defer { close(fd) }
        guard Glibc.write(fd, bytes, bytes.count) == bytes.count else {
            unlink(file)
            throw StateFailure("cannot write \(file): \(SystemError(call: "write", code: errno))")
        }
        guard fsync(fd) == 0 else {
            let failure = SystemError(call: "fsync", code: errno)
            unlink(file)
            throw StateFailure("cannot write \(file): \(failure)")
        }
    }

    /// Has the names of the files written to the disk. If that fails, as on file systems that cannot do it, a power failure at this
    /// moment costs at most the new name: the next start makes another password.
    private func syncFolder() {
        let fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard fd >= 0 else { return }
        fsync(fd)
        close(fd)
    }

    /// Whether others than the owner may read the password.
    var isPasswordReadableByOthers: Bool {
        var status = stat()
        return stat(passwordFile, &status) == 0 && status.st_mode & (S_IRGRP | S_IROTH) != 0
    }
}

/// Why nothing can be kept, in one sentence without a full stop.
public struct StateFailure: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Kind: Sendable {
        /// A file or folder cannot be read or made.
        case access
        /// The file of the viewer's password was written by hand, and holds no usable one.
        case malformedPassword
    }

    public let description: String
    public let kind: Kind

    init(_ description: String, _ kind: Kind = .access) {
        self.description = description
        self.kind = kind
    }
}
