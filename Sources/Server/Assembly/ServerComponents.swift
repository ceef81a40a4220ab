import Dispatch
import HTTPServer
import RTSPServer
import Reactor

/// The RTSP server with its event loops.
final class RTSPComponent: Component {
    let name = "the RTSP server"
    let overdueWarning = "some viewers could not be disconnected properly in time"
    private let server: RTSPServer.Server
    private let tasks: WorkThread
    private let end = DispatchGroup()

    /// - Parameter tasks: waits for the event loops.
    init(_ server: RTSPServer.Server, tasks: WorkThread) {
        (self.server, self.tasks) = (server, tasks)
    }

    func start() throws(SystemError) { try server.start() }

    func stop() {
        end.enter()
        Task(executorPreference: tasks) { [server, end] in
            await server.stop()
            end.leave()
        }
    }

    func join(until deadline: DispatchTime) -> Bool { end.wait(timeout: deadline) == .success }
}

/// The HTTP server with its event loops.
final class HTTPComponent: Component {
    let name = "the HTTP server"
    private let server: HTTPServer.Server
    private let routes: [Route]
    private let catalog: any StreamCatalog
    private let tasks: WorkThread
    private let end = DispatchGroup()

    /// - Parameter tasks: waits for the event loops.
    init(_ server: HTTPServer.Server, routes: [Route], _ catalog: any StreamCatalog, tasks: WorkThread) {
        (self.server, self.routes, self.catalog, self.tasks) = (server, routes, catalog, tasks)
    }

    func start() { server.start(routes, catalog) }

    func stop() {
        end.enter()
        Task(executorPreference: tasks) { [server, end] in
            await server.stop()
            end.leave()
        }
    }

    func join(until deadline: DispatchTime) -> Bool { end.wait(timeout: deadline) == .success }
}

/// The sources of all paths.
struct PathSources: Component {
    let name = "the sources"
    let overdueWarning = "a source did not stop in time"
    /// The supervisors of the present paths, which change with the configuration.
    let supervisors: @Sendable () -> [SourceSupervisor]

    func start() {
        for supervisor in supervisors() { supervisor.start() }
    }

    func stop() {
        for supervisor in supervisors() { supervisor.stop() }
    }

    func join(until deadline: DispatchTime) -> Bool {
        supervisors().map { $0.join(until: deadline) }.allSatisfy(\.self)
    }
}
