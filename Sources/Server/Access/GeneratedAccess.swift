import Logging
import Reactor

/// A generated password and where it is kept.
///
/// If the configuration has no users, clients on other hosts need the viewer's password to watch, and all publishers need the
/// publisher's password. Each is created when it is first needed.
public struct GeneratedAccess: Sendable {
    public let password: GeneratedPassword
    /// The file that contains it; `nil` if the password is valid for this run only.
    public let file: String?

    /// A random password that is not shown, so that no client can log in.
    public static var closed: Self { Self(password: .random(), file: nil) }

    private init(password: GeneratedPassword, file: String?) {
        self.password = password
        self.file = file
    }

    /// The password in `folder`, which the first start creates. If it cannot be read or stored, a password for this run; then the
    /// log contains the reason.
    ///
    /// - Throws: if the file was edited and does not contain a valid password. A new password would not be the one in the file.
    public init(
        keptIn folder: StateFolder?, of user: GeneratedPassword.User = .viewer, log: Logger
    ) throws(StateFailure) {
        let made = GeneratedPassword.random()
        do throws(StateFailure) {
            guard let folder else {
                throw StateFailure(
                    "there is no folder for it, because STATE_DIRECTORY, XDG_STATE_HOME and HOME are not set")
            }
            if let kept = try folder.password(of: user) {
                self.init(password: kept, file: folder.passwordFile(of: user))
            } else {
                self.init(password: try folder.keep(made, of: user), file: folder.passwordFile(of: user))
            }
            if folder.isPasswordReadableByOthers(of: user) {
                log.warning(
                    "other users of this host can read the \(user)'s password; run: chmod 600 \(folder.passwordFile(of: user))"
                )
            }
        } catch {
            guard error.kind == .access else { throw error }
            log.warning(
                "the \(user)'s password cannot be stored, so it changes at each start", metadata: ["reason": "\(error)"]
            )
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

    /// Whether publishers need the publisher's password.
    public var needsPublisherPassword: Bool {
        users.isEmpty && access.httpCallback.isEmpty
            && (servedPaths.values.contains { $0.source == .publish } || !publishPatterns.isEmpty)
    }

    /// Whether all clients that the address lists allow may watch without a password.
    public var isOpen: Bool { users.isEmpty && access.open }
}
