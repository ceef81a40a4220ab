import FoundationEssentials
import Glibc
import Reactor

/// The path of a server's control socket. It contains the port, so that several servers on a host have one each.
///
/// A command may run in another environment than the server, or as root, so it tries all usual paths.
public struct ControlSocketPath: Hashable, Sendable {
    public let path: String

    /// The path at which a server with this configuration listens; `nil` if it has no control socket.
    public init?(_ configuration: Configuration) {
        self.init(configuration, user: geteuid(), runtimeFolder: Self.runtimeFolder)
    }

    /// The paths that a command tries, in this order; none if the configuration has no control socket.
    public static func all(_ configuration: Configuration) -> [Self] {
        all(configuration, user: geteuid(), runtimeFolder: runtimeFolder)
    }

    private static var runtimeFolder: String? { ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"] }

    /// - Parameters:
    ///   - user: the user that runs the server or the command.
    ///   - runtimeFolder: the user's folder for sockets (XDG Base Directory Specification); none for system services.
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

    /// - Parameter logins: the folder in which systemd-logind creates a folder for each logged-in user, named after the user ID.
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

    /// The IDs of the logged-in users, ascending.
    private static func loggedIn(below folder: String) -> [UInt32] {
        // Without this folder there are no logged-in users.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.compactMap { UInt32($0) }.sorted()
    }

    private var folder: String {
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Creates the folder, readable by its owner only. If it exists, checks its owner and permissions.
    ///
    /// - Throws: if other users could replace the socket.
    func prepareFolder() throws(ControlFailure) {
        guard mkdir(folder, 0o700) != 0 else { return }
        guard errno == EEXIST else {
            throw ControlFailure("cannot make \(folder): \(SystemError(call: "mkdir", code: errno))")
        }
        var status = stat()
        guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw ControlFailure("\(folder) is not a folder")
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw ControlFailure("\(folder) belongs to another user")
        }
        // In a folder with the sticky bit, such as /tmp, users cannot replace files of other users.
        guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 || status.st_mode & S_ISVTX != 0 else {
            throw ControlFailure("other users may write to \(folder)")
        }
    }
}

/// Why a command cannot reach a server: one sentence without a full stop.
public struct ControlFailure: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
    /// Whether no server listens.
    public let isServerAbsent: Bool

    init(_ description: String, isServerAbsent: Bool = false) {
        (self.description, self.isServerAbsent) = (description, isServerAbsent)
    }
}
