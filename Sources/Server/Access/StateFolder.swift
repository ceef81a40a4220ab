import FoundationEssentials
import Glibc
import Reactor

/// The folder for files that the server creates and needs again at its next start.
public struct StateFolder: Hashable, Sendable {
    public let path: String

    /// Any folder.
    public init(at path: String) {
        self.path = path
    }

    /// The folder of this process; `nil` if the environment names none.
    public static var usual: Self? {
        let environment = ProcessInfo.processInfo.environment
        return Self(environment, user: geteuid())
    }

    /// The first folder in systemd's `$STATE_DIRECTORY`. Without it, `/var/lib/apus` for root, and a folder below `$XDG_STATE_HOME` or
    /// `~/.local/state` for other users (XDG Base Directory Specification). Relative paths are ignored.
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

    /// The file of a generated password.
    public func passwordFile(of user: GeneratedPassword.User = .viewer) -> String { "\(path)/\(user)-password" }

    /// The stored password; `nil` if there is none yet.
    ///
    /// - Throws: if the file cannot be read, or does not contain a valid password.
    public func password(of user: GeneratedPassword.User = .viewer) throws(StateFailure) -> GeneratedPassword? {
        let passwordFile = passwordFile(of: user)
        let fd = open(passwordFile, O_RDONLY | O_CLOEXEC)
        if fd < 0, errno == ENOENT || errno == ENOTDIR { return nil }
        // Longer than any password.
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = fd < 0 ? -1 : read(fd, &bytes, bytes.count)
        let failure = SystemError(call: "read", code: errno)
        if fd >= 0 { close(fd) }
        guard count >= 0 else { throw StateFailure("\(passwordFile) cannot be read: \(failure)") }
        let text = String(decoding: bytes.prefix(count), as: UTF8.self)
        guard let password = GeneratedPassword(String(text.prefix { !$0.isNewline })) else {
            throw StateFailure(
                "\(passwordFile) does not contain a password of 8 to 64 lower-case letters and digits; correct the file, or "
                    + "remove it to get a new password",
                .malformedPassword)
        }
        return password
    }

    /// Stores `password`, readable by the owner only, unless there is one now: two servers that start together must use the same.
    ///
    /// - Returns: the stored password.
    func keep(
        _ password: GeneratedPassword, of user: GeneratedPassword.User = .viewer
    ) throws(StateFailure) -> GeneratedPassword {
        try make()
        let passwordFile = passwordFile(of: user)
        let draft = "\(passwordFile).\(getpid())"
        try write(Array("\(password.text)\n".utf8), to: draft)
        defer { unlink(draft) }
        guard link(draft, passwordFile) != 0 else {
            syncFolder()
            return password
        }
        let failure = SystemError(call: "link", code: errno)
        guard let other = try self.password(of: user) else {
            throw StateFailure("cannot create \(passwordFile): \(failure)")
        }
        return other
    }

    /// Creates the folder and its parent folders, for their owner only.
    func make() throws(StateFailure) {
        for index in path.indices.dropFirst() where path[index] == "/" { mkdir(String(path[..<index]), 0o700) }
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw StateFailure("cannot create the folder \(path): \(SystemError(call: "mkdir", code: errno))")
        }
    }

    /// Writes the file, and replaces an existing one. The contents are on the disk when this returns: otherwise a file that is then
    /// linked to a name could be empty after a power failure.
    ///
    /// - Parameter mode: the permissions; by default for its owner only.
    func write(_ bytes: [UInt8], to file: String, mode: mode_t = 0o600) throws(StateFailure) {
        unlink(file)
        let fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard fd >= 0 else { throw StateFailure("cannot create \(file): \(SystemError(call: "open", code: errno))") }
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

    /// The bytes of a file; `nil` if there is none.
    ///
    /// - Throws: if it cannot be read, or is longer than this.
    func contents(of file: String, maximumByteCount: Int) throws(StateFailure) -> [UInt8]? {
        let fd = open(file, O_RDONLY | O_CLOEXEC)
        if fd < 0, errno == ENOENT || errno == ENOTDIR { return nil }
        guard fd >= 0 else { throw StateFailure("\(file) cannot be read: \(SystemError(call: "open", code: errno))") }
        defer { close(fd) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(fd, &block, block.count)
            guard count >= 0 else {
                throw StateFailure("\(file) cannot be read: \(SystemError(call: "read", code: errno))")
            }
            if count == 0 { return bytes }
            bytes += block.prefix(count)
            guard bytes.count <= maximumByteCount else {
                throw StateFailure("\(file) is longer than \(maximumByteCount) bytes")
            }
        }
    }

    /// Replaces a file by another with these bytes. After a power failure it has either the old or the new ones.
    func replace(_ file: String, by bytes: [UInt8]) throws(StateFailure) {
        try make()
        let draft = "\(file).\(getpid())"
        try write(bytes, to: draft)
        guard rename(draft, file) == 0 else {
            let failure = SystemError(call: "rename", code: errno)
            unlink(draft)
            throw StateFailure("cannot create \(file): \(failure)")
        }
        syncFolder()
    }

    /// Writes the names of the files to the disk. Some file systems cannot do this; then a power failure at this moment may lose the
    /// new file, and the next start creates another password.
    private func syncFolder() {
        let fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard fd >= 0 else { return }
        fsync(fd)
        close(fd)
    }

    /// Whether users other than the owner may read the password.
    func isPasswordReadableByOthers(of user: GeneratedPassword.User) -> Bool {
        var status = stat()
        return stat(passwordFile(of: user), &status) == 0 && status.st_mode & (S_IRGRP | S_IROTH) != 0
    }
}

/// Why a file cannot be stored: one sentence without a full stop.
public struct StateFailure: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Kind: Sendable {
        /// A file or folder cannot be read or created.
        case access
        /// The file of a password was edited, and does not contain a valid password.
        case malformedPassword
    }

    public let description: String
    public let kind: Kind

    init(_ description: String, _ kind: Kind = .access) {
        self.description = description
        self.kind = kind
    }
}
