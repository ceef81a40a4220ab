import Connecting
import Delivery
import Dispatch
import HTTPServer
import Logging
import Media
import RTMPServer
import RTSP
import RTSPServer
import RateControl
import Reactor
import SRTServer
import Streams
import Synchronization
import TLS
import WebRTCServer

/// The whole server, assembled from its configuration: the streams, their sources, and the servers of RTSP and HTTP.
///
/// `Assembly+Changing.swift` changes it while it runs.
public final class Assembly: Sendable {
    /// Why the server cannot start, and the option that can help.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        public let description: String
        /// Whether every start fails until a user changes a file.
        public var isPermanent = false
    }

    struct State {
        /// The present configuration: `base` with `overlay` and the changes of `apus set`.
        var configuration: Configuration
        /// That of the file and the command line.
        var base: Configuration
        /// Which options of `base` they set.
        var stated: StatedOptions
        /// The settings that were changed over HTTP.
        var overlay: SettingsOverlay
        /// The paths by name.
        var paths: [String: ServedPath] = [:]
        /// Those of the paths that publishers have created.
        var createdPaths: [String: CreatedPathOrigin] = [:]
        /// The viewer's password; `nil` until it is needed.
        var viewer: GeneratedAccess?
        /// The publisher's password; `nil` until it is needed.
        var publisher: GeneratedAccess?
        /// `nil` before the start.
        var components: Components?
        var isStopping = false
    }

    /// The notice for users, from before the sources were started.
    public let notice: StartupNotice

    /// The configuration with which the server was started. Options that take effect only at a start keep these values when the
    /// configuration changes.
    let running: Configuration
    let directory = PathDirectory()
    /// Where the server may connect to.
    let destinations: PermittedDestinations
    /// Pulls streams of other servers.
    let pulls: PullLoops
    /// Publishes streams to other servers.
    let forwards: Forwards
    /// Makes what is shown while a source is absent.
    let absences: Absences
    /// The paths to which further video tracks of publishers go.
    let tracks = TrackDirectory()
    let server: RTSPServer.Server
    /// `nil` without HTTP.
    let httpServer: HTTPServer.Server?
    /// `nil` without RTMP. It runs on the event loops of `server`.
    let rtmpServer: RTMPServer.Server?
    /// `nil` without SRT.
    let srt: ServedSRT?
    /// `nil` without WebRTC. It runs on the event loops of `server`.
    let webRTCServer: WebRTCServer.Server?
    /// The servers of all protocols.
    var servers: ViewerServers {
        ViewerServers(rtsp: server, http: httpServer, rtmp: rtmpServer, srt: srt?.server, webrtc: webRTCServer)
    }
    /// `nil` without TLS.
    let certificateWatch: CertificateWatch?
    let status: StatusReport
    private let statusLog: StatusLog
    let threshold: LogThreshold
    /// The last lines of `log`.
    let logTail: LogTail
    /// Keeps the settings that are changed over HTTP.
    let settingsFile: SettingsFile
    /// Loads a generated password. Called when it is first needed.
    let generatedAccess: @Sendable (GeneratedPassword.User) throws(StateFailure) -> GeneratedAccess
    let log: Logger
    let clock = StreamClock(ClockReading.now)
    /// What happens to the paths, for web clients and webhooks.
    public let events = EventBus(
        run: String(UInt64.random(in: .min ... .max), radix: 36), now: WallClock.unixNanoseconds)
    /// Posts events to web servers.
    let webhooks: Webhooks
    let state: Mutex<State>
    /// Reads configurations, one after the other.
    let reloads: WorkThread
    /// Waits for the answers of the event loops. Its tasks never block.
    let tasks: WorkThread
    /// Makes snapshots for clients of HTTP.
    let snapshots: Snapshots

    /// Creates everything and binds the ports, but starts nothing.
    ///
    /// Blocks until filters have opened their input, if settings of paths were changed over HTTP.
    /// - Parameters:
    ///   - base: the configuration of the file and the command line.
    ///   - stated: which options they set.
    ///   - threshold: the threshold of `log`, which changes with the option `log.level`.
    ///   - logTail: the last lines of `log`.
    ///   - stateFolder: where the settings that are changed over HTTP and the tracks of sources are kept for the next start; `nil` for
    ///     nowhere.
    ///   - generatedAccess: loads a password that clients need if there are no users; by default, no client can log in.
    public init(
        _ base: Configuration, stated: StatedOptions = StatedOptions(), log: Logger,
        threshold: LogThreshold = LogThreshold(), logTail: LogTail = LogTail(), stateFolder: StateFolder? = nil,
        generatedAccess: @escaping @Sendable (GeneratedPassword.User) throws(StateFailure) -> GeneratedAccess = { _ in
            .closed
        }
    ) throws(Failure) {
        settingsFile = SettingsFile(in: stateFolder)
        let overlay = settingsFile.load(log: log)
        let (configuration, settings) = base.overlaid(by: overlay, stated: stated)
        Self.report(settings, log)
        status = StatusReport(log: log, start: clock.epoch)
        let destinations = PermittedDestinations(configuration.access.destinations)
        (self.destinations, pulls) = (destinations, PullLoops(destinations, log: log))
        let viewer: GeneratedAccess?
        let publisher: GeneratedAccess?
        do throws(StateFailure) {
            viewer = configuration.needsViewerPassword ? try generatedAccess(.viewer) : nil
            publisher = configuration.needsPublisherPassword ? try generatedAccess(.publisher) : nil
        } catch {
            throw Failure(description: "\(error)", isPermanent: true)
        }
        let access = AccessPolicy(configuration, viewer: (viewer ?? .closed).password, publisher: publisher?.password)
        let files = configuration.tls.encryption == .no ? nil : CertificateFiles(configuration.tls)
        let identity = try Self.identity(in: files, for: configuration)
        do throws(SystemError) {
            statusLog = try StatusLog(everySeconds: configuration.log.statusSeconds)
            reloads = try WorkThread(name: "apus-reading")
            tasks = try WorkThread(name: "apus-tasks")
        } catch {
            throw Failure(description: "cannot start: \(error)")
        }
        snapshots = Snapshots(on: tasks)
        webhooks = Webhooks(configuration.webhooks, of: events, to: destinations, log: log)
        let forwardLoops = ForwardLoops(destinations)
        forwards = Forwards(on: forwardLoops, pulls.srt, log: log)
        let rtmpServer = try Self.rtmpServer(configuration, identity, log)
        self.rtmpServer = rtmpServer
        let webRTCServer = try Self.webRTCServer(configuration, log)
        self.webRTCServer = webRTCServer
        let server: RTSPServer.Server
        do throws(BindingFailure) {
            server = try RTSPServer.Server(
                options: RTSPServer.ServerOptions(
                    configuration, access: access, authoriser: HTTPCallback(configuration.access, log: log),
                    identity: identity),
                directory: directory,
                services: pulls.services + [forwardLoops.service]
                    + [rtmpServer?.service, webRTCServer?.service].compactMap(\.self),
                logger: log)
        } catch {
            throw Failure(error, configuration)
        }
        self.server = server
        rtmpServer?.connect(to: RTMPServices(server: server), on: server.loops)
        webRTCServer?.connect(to: WebRTCServices(server: server), on: server.loops)
        srt = try Self.servedSRT(configuration, server, pulls.srt, log)
        do throws(ListeningFailure) {
            httpServer = try HTTPServer.ServerOptions(configuration, identity: identity).map {
                options throws(ListeningFailure) in
                var options = options
                options.otherPorts = (
                    rtsp: server.port(for: .clear), rtsps: server.port(for: .tls),
                    webrtc: webRTCServer?.portNumbers.first
                )
                return try HTTPServer.Server(
                    options: options, services: HTTPServices(server: server), logger: log)
            }
        } catch {
            throw Failure(error, configuration)
        }
        certificateWatch = try Self.certificateWatch(files, server, httpServer, rtmpServer, log)
        running = configuration
        (self.threshold, self.logTail) = (threshold, logTail)
        self.generatedAccess = generatedAccess
        self.log = log
        absences = Absences(directory: directory, kept: KeptTracks(in: stateFolder, log: log))
        var paths: [String: ServedPath] = [:]
        let servers = ViewerServers(
            rtsp: server, http: httpServer, rtmp: rtmpServer, srt: srt?.server, webrtc: webRTCServer)
        for (name, path) in configuration.servedPathsParentsFirst {
            let stream = Streams.Stream(path: "/\(name)", clock: clock, limits: .init(configuration), events: events)
            stream.captureTimeSEI = path.timestamps
            stream.setRates(EncoderRate.Settings(path))
            stream.observeEnd { [tasks] stream in Task(executorPreference: tasks) { await servers.end(stream) } }
            paths[name] = ServedPath(
                path, of: path.source.parent.flatMap { paths[$0] }, on: stream, pulls: pulls, tracks: tracks,
                absences: absences, log: log)
            directory.insert(
                stream, options: PathOptions(name, path, in: configuration), publishing: paths[name]?.publishing)
        }
        for (name, path) in paths {
            path.stream.renditions = Renditions(of: name, in: configuration) { paths[$0]?.stream }
        }
        notice = StartupNotice(
            configuration, viewer, publisher, port: server.port(for: .clear).map(Int.init),
            tlsPort: server.port(for: .tls).map(Int.init), http: httpServer, rtmp: rtmpServer, srt: srt?.server,
            webrtc: webRTCServer,
            streams: paths.map { name, path in
                StartupNotice.StreamLine(
                    path: path.stream.path, label: path.source.label, multicast: configuration.multicastLines(of: name),
                    takesPublishers: path.publishing != nil,
                    srt: configuration.srtAccess(to: configuration.servedPaths[name] ?? .init()))
            }
            .sorted { $0.path < $1.path }
                + configuration.publishPatterns.map { pattern, path in
                    StartupNotice.StreamLine(
                        path: "/\(pattern.description.dropLast())NAME", label: "paths that publishers create",
                        takesPublishers: true, srt: configuration.srtAccess(to: path))
                })
        state = Mutex(
            State(
                configuration: configuration, base: base, stated: stated, overlay: overlay, paths: paths,
                viewer: viewer, publisher: publisher))
        loadSRT(for: configuration)
        for (name, path) in paths { forward(name, path.stream, of: configuration) }
        directory.createMissing { [weak self] in self?.create($0, then: $1) ?? false }
    }

    /// Starts serving, on its own threads. Returns at once.
    public func start() throws(Failure) {
        let components = Components(parts, log: log)
        state.withLock { $0.components = components }
        do throws(SystemError) {
            try components.start()
        } catch {
            throw Failure(description: "cannot start: \(error)")
        }
    }

    /// All that runs as long as the server, in the order in which it starts.
    private var parts: [any Component] {
        let (log, configuration) = (log, running)
        let sources = PathSources { [weak self] in
            self?.state.withLock { $0.paths.values.map(\.supervisor) } ?? []
        }
        statusLog.write = { [weak self] in self?.logStatus() }
        let control = ControlSocketPath(configuration).map { place in
            ControlSocket(at: place, log: log) { [weak self] in self?.answer($0) ?? .refused([]) }
        }
        let all: [(any Component)?] = [
            webhooks, RTSPComponent(server, tasks: tasks),
            SRTComponent(pulls.srt, srt, hasCalls: configuration.callsSRT, log: log),
            httpServer.map { HTTPComponent($0, routes: routes(), Catalog(assembly: self), tasks: tasks) },
            certificateWatch, sources, statusLog, control,
        ]
        return all.compactMap(\.self)
    }

    /// What each long-lived part of the server does, by its name.
    var componentStatus: [(name: String, status: Components.Status)] {
        state.withLock(\.components)?.status ?? []
    }

    /// Logs the status at this interval from now on; 0 for never.
    func logStatus(everySeconds seconds: Int) { statusLog.run(everySeconds: seconds) }

    /// The notice for users, in which paths with a failed source are marked.
    ///
    /// Waits until each source that is a file has been opened or has failed, but for at most this time.
    public func noticeOfStartedServer(withinMilliseconds milliseconds: Int = 300) -> StartupNotice {
        let paths = state.withLock { $0.paths }
        let files = paths.values.filter { (try? InputKind(of: $0.source.label)) == .file }
        let deadline = DispatchTime.now() + .milliseconds(milliseconds)
        let pause = DispatchSemaphore(value: 0)
        while files.contains(where: { $0.supervisor.condition.state == .starting }), DispatchTime.now() < deadline {
            _ = pause.wait(timeout: .now() + .milliseconds(5))
        }
        let failures = paths.values.compactMap { path in
            path.supervisor.condition.reason.map { (path.stream.path, $0) }
        }
        return notice.marking(failures: Dictionary(uniqueKeysWithValues: failures))
    }

    /// Logs the status since the last time, one line per stream and per event loop. Blocks for at most a second.
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

    /// Stops everything: disconnects viewers after flushing what is being sent, and stops the sources. Blocks for at most this time.
    public func stop(withinMilliseconds milliseconds: Int = 900) {
        let components = state.withLock { state in
            state.isStopping = true
            return state.components
        }
        components?.stop(until: .now() + .milliseconds(milliseconds))
        settingsFile.release()
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
