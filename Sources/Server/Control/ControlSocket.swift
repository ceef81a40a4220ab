import Dispatch
import Glibc
import Logging
import Reactor
import Synchronization

/// The control socket of a server. If it cannot be opened, the log contains the reason, and the server runs without it.
final class ControlSocket: Component {
    let name = "the control socket"
    private let place: ControlSocketPath
    private let log: Logger
    private let answer: @Sendable (ControlRequest) -> ControlResponse
    private let server = Mutex<ControlServer?>(nil)

    /// - Parameter answer: is called on the control thread, for one request at a time.
    init(
        at place: ControlSocketPath, log: Logger, answer: @escaping @Sendable (ControlRequest) -> ControlResponse
    ) {
        (self.place, self.log, self.answer) = (place, log, answer)
    }

    func start() {
        do {
            try place.prepareFolder()
            let server = try ControlServer(at: place.path, log: log, answer: answer)
            try server.start()
            self.server.withLock { $0 = server }
            log.debug("control socket", metadata: ["path": "\(place.path)"])
        } catch {
            let reason = (error as? SystemError).map(describe) ?? "\(error)"
            log.warning(
                "no control socket, so `apus set` cannot reach this server: \(reason); see the option control.socket")
        }
    }

    func stop() { server.withLock(\.self)?.stop() }

    func join(until deadline: DispatchTime) -> Bool { server.withLock(\.self)?.join(until: deadline) ?? true }

    private func describe(_ error: SystemError) -> String {
        switch error.code {
        case EADDRINUSE: "another server uses \(place.path)"
        case ENOTSOCK: "\(place.path) is not a socket"
        default: "\(place.path): \(error)"
        }
    }
}
