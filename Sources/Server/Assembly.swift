import Dispatch
import Logging
import Media
import RTSPServer
import Reactor
import Streams

/// The server, put together from its configuration: streams, their sources, and the RTSP server before them.
public final class Assembly: Sendable {
    /// Why the server cannot start, and which setting changes it.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// What is said once it listens.
    public let notice: StartupNotice

    private let server: RTSPServer.Server
    private let supervisors: [SourceSupervisor]
    private let status: StatusReport
    private let log: Logger

    /// Makes everything and binds the ports; nothing runs yet.
    public init(_ configuration: Configuration, log: Logger) throws(Failure) {
        let epoch = MonotonicTime.now()
        let directory = PathDirectory()
        let paths = configuration.servedPaths.sorted { $0.key < $1.key }
        let sources = paths.map { name, path in
            var log = log
            log[metadataKey: "path"] = "/\(name)"
            return makeSource(path, log: log)
        }
        let streams = paths.map { Stream(path: "/\($0.key)", epoch: epoch, limits: .init(configuration)) }
        status = StatusReport(zip(streams, sources).map { ($0, $1) }, log: log, start: epoch)
        supervisors = zip(paths, zip(streams, sources)).map { path, pair in
            let (stream, source) = pair
            directory.insert(stream, options: PathOptions(path.key, path.value, in: configuration))
            return SourceSupervisor(
                source, into: stream, atEndOfInput: path.value.source == .standardInput ? .isFinal : .startsAgain,
                log: log)
        }
        do throws(SystemError) {
            server = try RTSPServer.Server(options: ServerOptions(configuration), directory: directory, logger: log)
        } catch {
            throw Failure(error, configuration)
        }
        notice = StartupNotice(
            configuration, port: Int(server.port),
            streams: zip(paths, sources).map { .init(path: "/\($0.key)", label: $1.label) })
        self.log = log
    }

    /// Starts serving, on threads of its own; returns at once.
    public func start() throws(Failure) {
        do throws(SystemError) {
            try server.start()
        } catch {
            throw Failure(description: "cannot start: \(error)")
        }
        for supervisor in supervisors { supervisor.start() }
    }

    /// Logs a line per stream and per event loop: what was done since the last time. Blocks for a second at most.
    public func logStatus() {
        let isWritten = DispatchSemaphore(value: 0)
        let (server, status) = (server, status)
        Task.detached {
            status.write(await server.statistics(), at: .now())
            isWritten.signal()
        }
        if isWritten.wait(timeout: .now() + .seconds(1)) == .timedOut { log.warning("an event loop did not answer") }
    }

    /// Ends everything: viewers are told, what is being sent is flushed, sources stop. Blocks, at most so long.
    public func stop(withinMilliseconds milliseconds: Int = 900) {
        let deadline = DispatchTime.now() + .milliseconds(milliseconds)
        for supervisor in supervisors { supervisor.stop() }
        let serverStopped = DispatchSemaphore(value: 0)
        let server = server
        Task.detached {
            await server.stop()
            serverStopped.signal()
        }
        if serverStopped.wait(timeout: deadline) == .timedOut { log.warning("some viewers could not be told in time") }
        for supervisor in supervisors where !supervisor.join(until: deadline) {
            log.warning("a source did not stop in time")
        }
    }
}

extension Assembly.Failure {
    /// What binding the ports failed with.
    fileprivate init(_ error: SystemError, _ configuration: Configuration) {
        let port = configuration.server.port
        if error.isAddressInUse {
            description = "port \(port) is taken: stop the other server, or choose another with --port (server.port)"
        } else if error.isPermissionDenied {
            description =
                "no right to listen on port \(port): choose one from 1024 up with --port (server.port), "
                + "or grant CAP_NET_BIND_SERVICE"
        } else {
            description = "cannot listen on port \(port): \(error); see server.address, --port and rtp.firstUDPPort"
        }
    }
}

extension StartupNotice {
    fileprivate init(_ configuration: Configuration, port: Int, streams: [StreamLine]) {
        let address = configuration.server.address
        // Without the list of interfaces there is still localhost to name.
        let addresses = (try? LocalAddresses.all()) ?? []
        self.init(
            listeners: ["\(address.isEmpty ? "all addresses" : address), TCP port \(port) (RTSP)"], streams: streams,
            port: port, hosts: URLHost.reaching(listener: address, addresses: addresses))
    }
}

extension Stream.Limits {
    init(_ configuration: Configuration) {
        self.init()
        history.nanoseconds = Int64(configuration.ring.seconds) * 1_000_000_000
        history.byteCount = configuration.ring.bytes
        randomAccess.burst = configuration.randomAccess.burst
        randomAccess.interval = Int64(configuration.randomAccess.intervalMilliseconds) * 1_000_000
    }
}
