import Logging
import Reactor

/// Who watches while the configuration has no users: this host freely, others with the viewer's password, which is made when it
/// is first needed.
public struct ViewerAccess: Sendable {
    public let password: ViewerPassword
    /// The file that keeps it; `nil` where it is good until the server ends.
    public let file: String?

    /// A password that nobody is told.
    public static var closed: Self { Self(password: .random(), file: nil) }

    private init(password: ViewerPassword, file: String?) {
        self.password = password
        self.file = file
    }

    /// The password that `folder` keeps, made there at the first start. If it cannot be read or kept, one for this run: the log
    /// says why.
    ///
    /// - Throws: if the file has been written by hand and holds no usable password. Another one would be used in silence, and nobody
    ///   could log in with what the file says.
    public init(keptIn folder: StateFolder?, log: Logger) throws(StateFailure) {
        let made = ViewerPassword.random()
        do throws(StateFailure) {
            guard let folder else {
                throw StateFailure("there is no folder for it: STATE_DIRECTORY, XDG_STATE_HOME and HOME are not set")
            }
            if let kept = try folder.viewerPassword() {
                self.init(password: kept, file: folder.passwordFile)
            } else {
                self.init(password: try folder.keep(made), file: folder.passwordFile)
            }
            if folder.isPasswordReadableByOthers {
                log.warning("other users of this host may read the viewer's password: chmod 600 \(folder.passwordFile)")
            }
        } catch {
            guard error.kind == .access else { throw error }
            log.warning("the viewer's password is another at each start", metadata: ["reason": "\(error)"])
            self.init(password: made, file: nil)
        }
    }
}

extension Configuration {
    /// Whether somebody needs the viewer's password: hosts other than this one, or this one, too.
    public var needsViewerPassword: Bool {
        users.isEmpty && !access.open && access.httpCallback.isEmpty
            && (access.loopback == .password || SocketAddress(server.address, port: 0)?.isLoopback != true)
    }

    /// Whether everybody watches whom the address lists let in.
    public var isOpen: Bool { users.isEmpty && access.open }
}
