import Dispatch
import Logging
import Media
import RTSP
import RTSPServer
import Reactor
import Streams
import Synchronization
import TLS

/// The server, put together from its configuration: streams, their sources, and the RTSP server before them.
///
/// What of it changes while it runs is in `Assembly+Changing.swift`.
public final class Assembly: Sendable {
    /// Why the server cannot start, and which setting changes it.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        public let description: String
        /// Whether every start fails until somebody changes a file.
        public var isPermanent = false
    }

    struct State {
        /// As wanted last.
        var configuration: Configuration
        /// By name.
        var paths: [String: ServedPath] = [:]
        /// Once it has been looked for.
        var viewer: ViewerAccess?
        var isStopping = false
    }

    /// What is said once it listens.
    public let notice: StartupNotice

    /// What it was started with: what only a start can take up stays as it is here.
    let running: Configuration
    let directory = PathDirectory()
    let server: RTSPServer.Server
    /// `nil` where nobody comes through TLS.
    let certificateWatch: CertificateWatch?
    let status: StatusReport
    private let statusTimer: RepeatingTimer
    let threshold: LogThreshold
    /// Asked when it is first needed.
    let viewerAccess: @Sendable () throws(StateFailure) -> ViewerAccess
    let log: Logger
    let clock = StreamClock(ClockReading.now)
    let state: Mutex<State>
    /// One reading of the configuration after the other.
    let reloads: WorkThread
    /// Where the event loops' answers are awaited. Nothing blocks there.
    let tasks: WorkThread

    /// Makes everything and binds the ports; nothing runs yet.
    ///
    /// - Parameters:
    ///   - threshold: of `log`, for when `log.level` changes.
    ///   - viewerAccess: how other hosts watch where there are no users; by default they do not.
    public init(
        _ configuration: Configuration, log: Logger, threshold: LogThreshold = LogThreshold(),
        viewerAccess: @escaping @Sendable () throws(StateFailure) -> ViewerAccess = { .closed }
    ) throws(Failure) {
        status = StatusReport(log: log, start: clock.epoch)
        let viewer: ViewerAccess?
        do throws(StateFailure) {
            viewer = configuration.needsViewerPassword ? try viewerAccess() : nil
        } catch {
            throw Failure(description: "\(error)", isPermanent: true)
        }
        let access = AccessPolicy(configuration, viewer: (viewer ?? .closed).password)
        let files = configuration.tls.encryption == .no ? nil : CertificateFiles(configuration.tls)
        let identity = try Self.identity(in: files, for: configuration)
        do throws(SystemError) {
            statusTimer = try RepeatingTimer(name: "apus-status")
            reloads = try WorkThread(name: "apus-reading")
            tasks = try WorkThread(name: "apus-tasks")
        } catch {
            throw Failure(description: "cannot start: \(error)")
        }
        let server: RTSPServer.Server
        do throws(BindingFailure) {
            server = try RTSPServer.Server(
                options: ServerOptions(
                    configuration, access: access, authoriser: HTTPCallback(configuration.access, log: log),
                    identity: identity),
                directory: directory, logger: log)
        } catch {
            throw Failure(error, configuration)
        }
        self.server = server
        certificateWatch = try Self.certificateWatch(files, server, log)
        running = configuration
        self.threshold = threshold
        self.viewerAccess = viewerAccess
        self.log = log
        var paths: [String: ServedPath] = [:]
        for (name, path) in configuration.servedPathsParentsFirst {
            let stream = Streams.Stream(path: "/\(name)", clock: clock, limits: .init(configuration))
            stream.captureTimeSEI = path.timestamps
            stream.observeEnd { [tasks] stream in Task(executorPreference: tasks) { await server.end(stream) } }
            paths[name] = ServedPath(path, of: path.source.parent.flatMap { paths[$0] }, on: stream, log: log)
            directory.insert(stream, options: PathOptions(name, path, in: configuration))
        }
        notice = StartupNotice(
            configuration, viewer, port: server.port(for: .clear).map(Int.init),
            tlsPort: server.port(for: .tls).map(Int.init),
            streams: paths.map { name, path in
                StartupNotice.StreamLine(
                    path: path.stream.path, label: path.source.label, multicast: configuration.multicastLines(of: name))
            }
            .sorted { $0.path < $1.path })
        state = Mutex(State(configuration: configuration, paths: paths, viewer: viewer))
    }

    /// Starts serving, on threads of its own; returns at once.
    public func start() throws(Failure) {
        do throws(SystemError) {
            try server.start()
        } catch {
            throw Failure(description: "cannot start: \(error)")
        }
        certificateWatch?.start()
        for path in state.withLock({ $0.paths.values }) { path.supervisor.start() }
        logStatus(everySeconds: running.log.statusSeconds)
    }

    /// Logs it again and again from now on; never where that is 0.
    func logStatus(everySeconds seconds: Int) {
        statusTimer.run(everySeconds: seconds) { [weak self] in self?.logStatus() }
    }

    /// Logs lines per stream and per event loop: what was done since the last time. Blocks for a second at most.
    public func logStatus() {
        let isWritten = DispatchSemaphore(value: 0)
        let (server, status) = (server, status)
        let paths = state.withLock { $0.paths.values.map { ($0.stream.path, $0.countsAndReset()) } }
        let counts = Dictionary(uniqueKeysWithValues: paths)
        Task(executorPreference: tasks) {
            status.write(counts, await server.statistics(), at: .now())
            isWritten.signal()
        }
        if isWritten.wait(timeout: .now() + .seconds(1)) == .timedOut { log.warning("an event loop did not answer") }
    }

    /// Ends everything: viewers are told, what is being sent is flushed, sources stop. Blocks, at most so long.
    public func stop(withinMilliseconds milliseconds: Int = 900) {
        let deadline = DispatchTime.now() + .milliseconds(milliseconds)
        certificateWatch?.stop()
        let supervisors = state.withLock { state in
            state.isStopping = true
            return state.paths.values.map(\.supervisor)
        }
        for supervisor in supervisors { supervisor.stop() }
        let serverStopped = DispatchSemaphore(value: 0)
        let server = server
        Task(executorPreference: tasks) {
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
    fileprivate init(_ failure: BindingFailure, _ configuration: Configuration) {
        guard failure.way != nil else {
            description = Self.udpFailure(
                failure, configuration.rtp, loopCount: ServerOptions(configuration, access: nil).loopCount)
            return
        }
        let isTLS = failure.way == .tls
        let port = isTLS ? configuration.tls.port : configuration.server.port
        let option = isTLS ? "tls.port" : "--port (server.port)"
        if failure.error.isAddressInUse {
            description = "port \(port) is taken: stop the other server, or choose another with \(option)"
        } else if failure.error.isPermissionDenied {
            description =
                "no right to listen on port \(port): choose one from 1024 up with \(option), or grant "
                + "CAP_NET_BIND_SERVICE"
        } else {
            description =
                "cannot listen on port \(port): \(failure); see server.address and \(option)"
        }
    }

    private static func udpFailure(
        _ failure: BindingFailure, _ ports: Configuration.RTP, loopCount: Int
    ) -> String {
        let range = "from \(ports.firstUDPPort) to \(ports.lastUDPPort)"
        guard failure.error.isAddressInUse else {
            return "cannot take UDP ports \(range): \(failure); see --udp-ports (rtp.firstUDPPort, rtp.lastUDPPort)"
        }
        return
            "not enough UDP ports are free \(range): each event loop, of which there \(loopCount == 1 ? "is" : "are") "
            + "\(loopCount), takes an even port and the next; stop the program that holds them, or choose others with "
            + "--udp-ports (rtp.firstUDPPort, rtp.lastUDPPort)"
    }
}

extension Assembly {
    private static func certificateWatch(
        _ files: CertificateFiles?, _ server: RTSPServer.Server, _ log: Logger
    ) throws(Failure) -> CertificateWatch? {
        guard let files else { return nil }
        if files.isKeyReadableByOthers {
            log.warning("other users of this host may read the key of the certificate: chmod 600 \(files.key)")
        }
        do throws(SystemError) {
            return try CertificateWatch(files, log: log) { server.identify(by: $0) }
        } catch {
            throw Failure(description: "cannot start: \(error)")
        }
    }

    /// What is shown to those who come through TLS; `nil` where nobody does.
    private static func identity(
        in files: CertificateFiles?, for configuration: Configuration
    ) throws(Failure) -> ServerIdentity? {
        guard let files else { return nil }
        // The check of the configuration knows nothing of what the command line adds.
        let isMulticast = configuration.servedPaths.first { $0.value.isMulticast }
        if configuration.tls.encryption == .strict, let name = isMulticast?.key {
            throw Failure(
                description:
                    "/\(name) is multicast, in the clear, and tls.encryption is strict: make either of them otherwise")
        }
        do throws(CertificateFailure) {
            return try files.identity()
        } catch {
            throw Failure(description: "tls.\(error.file.rawValue): \(error)")
        }
    }
}

extension StartupNotice {
    fileprivate init(
        _ configuration: Configuration, _ viewer: ViewerAccess?, port: Int?, tlsPort: Int?, streams: [StreamLine]
    ) {
        let address = configuration.server.address
        let place = address.isEmpty ? "all addresses" : address
        let listeners = [
            port.map { "\(place), TCP port \($0) (RTSP)" }, tlsPort.map { "\(place), TCP port \($0) (RTSPS)" },
        ]
        // Without the list of interfaces there is still localhost to name.
        let addresses = (try? LocalAddresses.all()) ?? []
        self.init(
            listeners: listeners.compactMap(\.self), streams: streams, port: port, tlsPort: tlsPort,
            hosts: URLHost.reaching(listener: address, addresses: addresses),
            access: Access(configuration, viewer))
    }
}

extension StartupNotice.Access {
    fileprivate init(_ configuration: Configuration, _ viewer: ViewerAccess?) {
        if !configuration.access.httpCallback.isEmpty {
            self = .callback
        } else if !configuration.users.isEmpty {
            self = .users
        } else if configuration.isOpen {
            self = .open
        } else {
            self = viewer.map { .viewer($0, loopback: configuration.access.loopback.policy) } ?? .thisHost
        }
    }
}

extension Stream.Limits {
    init(_ configuration: Configuration) {
        self.init()
        history.nanoseconds = Int64(configuration.ring.seconds) * 1_000_000_000
        history.byteCount = configuration.ring.bytes
        keyframeRequests.burst = configuration.keyframeRequests.burst
        keyframeRequests.interval = Int64(configuration.keyframeRequests.intervalMilliseconds) * 1_000_000
    }
}
