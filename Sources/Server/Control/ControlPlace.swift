import FoundationEssentials
import Glibc
import Reactor

/// Where a server's control socket is: by its port, so that servers beside each other have one each.
public struct ControlPlace: Hashable, Sendable {
    public let path: String

    /// Where the configuration has it; `nil` where it has none.
    public init?(_ configuration: Configuration) {
        self.init(
            configuration, user: geteuid(), runtimeFolder: ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"])
    }

    /// - Parameters:
    ///   - user: who runs the server, or speaks to it.
    ///   - runtimeFolder: the user's own folder for sockets (XDG Base Directory Specification); none for system services.
    init?(_ configuration: Configuration, user: UInt32, runtimeFolder: String?) {
        switch configuration.control.socket {
        case "": return nil
        case "auto":
            let folder = runtimeFolder.flatMap { user != 0 && $0.hasPrefix("/") ? $0 : nil } ?? "/run"
            path = "\(folder)/apus/control-\(configuration.server.port)"
        case let path: self.path = path
        }
    }

    private var folder: String {
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Makes the folder for its owner alone, where there is none, and looks at it where there is one.
    ///
    /// - Throws: where others could put a socket of theirs in the place of ours.
    func prepareFolder() throws(ControlFailure) {
        guard mkdir(folder, 0o700) != 0 else { return }
        guard errno == EEXIST else {
            throw ControlFailure("cannot make \(folder): \(SystemError(call: "mkdir", code: errno))")
        }
        var status = stat()
        guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw ControlFailure("\(folder) is no folder")
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw ControlFailure("\(folder) belongs to another user")
        }
        // In a folder with the sticky bit, as /tmp, everybody's files are their own.
        guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 || status.st_mode & S_ISVTX != 0 else {
            throw ControlFailure("others may write to \(folder)")
        }
    }
}

/// Why a server cannot be spoken to, in one sentence without a full stop.
public struct ControlFailure: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
