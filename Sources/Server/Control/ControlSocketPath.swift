import FoundationEssentials
import Glibc
import Reactor

/// Where a server's control socket is: by its port, so that servers beside each other have one each.
///
/// A verb may run in another environment than the server, or as root: it looks in all the usual places.
public struct ControlSocketPath: Hashable, Sendable {
    public let path: String

    /// Where a server with this configuration listens; `nil` where it has none.
    public init?(_ configuration: Configuration) {
        self.init(configuration, user: geteuid(), runtimeFolder: Self.runtimeFolder)
    }

    /// Where a verb looks for the server, in this order; nowhere where the configuration has no socket.
    public static func all(_ configuration: Configuration) -> [Self] {
        all(configuration, user: geteuid(), runtimeFolder: runtimeFolder)
    }

    private static var runtimeFolder: String? { ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"] }

    /// - Parameters:
    ///   - user: who runs the server, or speaks to it.
    ///   - runtimeFolder: the user's own folder for sockets (XDG Base Directory Specification); none for system services.
    init?(_ configuration: Configuration, user: UInt32, runtimeFolder: String?) {
        switch configuration.control.socket {
        case "": return nil
        case "auto":
            let folder = runtimeFolder.flatMap { user != 0 && $0.hasPrefix("/") ? $0 : nil } ?? Self.systemFolder
            self.init(port: configuration.server.port, below: folder)
        case let path: self.init(path: path)
        }
    }

    private init(port: Int, below folder: String) {
        self.init(path: "\(folder)/apus/control-\(port)")
    }

    private init(path: String) {
        self.path = path
    }

    /// For services, and for root.
    private static let systemFolder = "/run"

    /// - Parameter logins: the folder in which systemd-logind makes one for each user who is logged in, named by its number.
    static func all(
        _ configuration: Configuration, user: UInt32, runtimeFolder: String?, logins: String = "/run/user"
    ) -> [Self] {
        guard let usual = Self(configuration, user: user, runtimeFolder: runtimeFolder) else { return [] }
        guard configuration.control.socket == "auto" else { return [usual] }
        let own = [runtimeFolder].compactMap { $0 }.filter { $0.hasPrefix("/") }
        let users = user == 0 ? loggedIn(below: logins) : [user]
        let folders = own + [systemFolder] + users.map { "\(logins)/\($0)" }
        var places = [usual]
        for place in folders.map({ Self(port: configuration.server.port, below: $0) }) where !places.contains(place) {
            places.append(place)
        }
        return places
    }

    /// Their numbers, ascending.
    private static func loggedIn(below folder: String) -> [UInt32] {
        // Without such a folder nobody has logged in in this way.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.compactMap { UInt32($0) }.sorted()
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
