import Logging
import Reactor

/// Access if the configuration has no users: clients on this host need no password, and other hosts need the viewer's password,
/// which is created when it is first needed.
public struct ViewerAccess: Sendable {
    public let password: ViewerPassword
    /// The file that contains it; `nil` if the password is valid for this run only.
    public let file: String?

    /// A random password that is not shown, so that no client can log in.
    public static var closed: Self { Self(password: .random(), file: nil) }

    private init(password: ViewerPassword, file: String?) {
        self.password = password
        self.file = file
    }

    /// The password in `folder`, which the first start creates. If it cannot be read or stored, a password for this run; then the
    /// log contains the reason.
    ///
    /// - Throws: if the file was edited and does not contain a valid password. A new password would not be the one in the file.
    public init(keptIn folder: StateFolder?, log: Logger) throws(StateFailure) {
        let made = ViewerPassword.random()
        do throws(StateFailure) {
            guard let folder else {
                throw StateFailure(
                    "there is no folder for it, because STATE_DIRECTORY, XDG_STATE_HOME and HOME are not set")
            }
            if let kept = try folder.viewerPassword() {
                self.init(password: kept, file: folder.passwordFile)
            } else {
                self.init(password: try folder.keep(made), file: folder.passwordFile)
            }
            if folder.isPasswordReadableByOthers {
                log.warning(
                    "other users of this host can read the viewer's password; run: chmod 600 \(folder.passwordFile)")
            }
        } catch {
            guard error.kind == .access else { throw error }
            log.warning(
                "the viewer's password cannot be stored, so it changes at each start", metadata: ["reason": "\(error)"])
            self.init(password: made, file: nil)
        }
    }
}

extension Configuration {
    /// Whether clients need the viewer's password: clients on other hosts, or all clients.
    public var needsViewerPassword: Bool {
        users.isEmpty && !access.open && access.httpCallback.isEmpty
            && (access.loopback == .asOthers || SocketAddress(server.address, port: 0)?.isLoopback != true)
    }

    /// Whether all clients that the address lists allow may watch without a password.
    public var isOpen: Bool { users.isEmpty && access.open }
}
