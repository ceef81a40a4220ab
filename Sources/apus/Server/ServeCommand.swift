import ArgumentParser
import Glibc
import Logging
import Reactor
import Server

struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve streams over RTSP until SIGINT (Ctrl-C) or SIGTERM.",
        discussion: """
            A SOURCE is testcard, a camera such as /dev/video0, the rtsp:// URL of an IP camera or another server, a video \
            file, a fifo or - (standard input), or another URL that FFmpeg opens. NAME=SOURCE serves it at /NAME. Otherwise, a \
            single SOURCE is served at /cam, and several at their file names. Without a SOURCE, apus serves the paths of the \
            configuration; without these, the first camera that works, or the test card.

            Examples:
              apus serve
              apus serve /dev/video0
              apus serve video.mp4
              apus serve yard=rtsp://192.0.2.9/stream1
              apus serve /dev/video0 --size 1280x720 --fps 30 --bitrate 4M --user ann:secret
              apus serve --port 554 door=testcard yard=/srv/yard.mkv
              rpicam-vid -t 0 --inline -o - | apus serve -

            Clients on this host need no password (access.loopback). Other clients need the password in the URLs that apus \
            prints on the terminal. With --user, or with users in the configuration, all clients log in as one of these users.

            On SIGHUP, the server reloads its configuration and applies the changes; other streams are not interrupted, and an \
            invalid configuration changes nothing. On SIGUSR1, it logs the activity of each stream and event loop since the last \
            SIGUSR1. apus set changes options of a path without a configuration file.
            """)

    @Option(help: "The configuration file; ./apus.yml or /etc/apus/apus.yml by default, else the default options.")
    var config: String?

    @Option(help: "TCP port for RTSP; 8554 by default.")
    var port: Int?

    @Option(help: "TCP port for HTTP; 8888 by default, 0 for no HTTP server.")
    var httpPort: Int?

    @Option(help: "TCP port for RTMP; 1935 by default if a path takes publishers, 0 for no RTMP server.")
    var rtmpPort: Int?

    @Option(help: "Port of the SRT server, UDP; 0 for none. Replaces srt.port and srt.serve.")
    var srtPort: Int?

    @Option(
        help: ArgumentHelp(
            "UDP ports for RTP and RTCP; each event loop uses an even port and the next one. 6970-7169 by default.",
            valueName: "first-last"))
    var udpPorts: UDPPortRange?

    @Option(help: "The number of event loops that serve viewers; 0 for one per core.")
    var loops: Int?

    @Option(
        help:
            "Minimum level of log messages: \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", "))."
    )
    var logLevel: Logger.Level?

    @Flag(help: "Also send the SOURCEs to multicast groups, all the time.")
    var multicast = false

    @Flag(help: "Let all clients watch without a password.")
    var open = false

    @OptionGroup var path: PathOptions

    @Option(
        help: ArgumentHelp(
            "Only this user may watch. May be repeated. The shell's history may keep the password; use apus password and a "
                + "configuration to avoid that.",
            valueName: "name:password"))
    var user: [String] = []

    @Argument(
        help: ArgumentHelp("The sources to serve, instead of the paths of the configuration.", valueName: "source"))
    var sources: [String] = []

    func validate() throws {
        if let port, !(1...65_535).contains(port) {
            throw ValidationError("--port takes 1 to 65535, not \(port)")
        }
        if let httpPort, !(0...65_535).contains(httpPort) {
            throw ValidationError("--http-port takes 0 to 65535, not \(httpPort)")
        }
        if let rtmpPort, !(0...65_535).contains(rtmpPort) {
            throw ValidationError("--rtmp-port takes 0 to 65535, not \(rtmpPort)")
        }
        if let srtPort, !(0...65_535).contains(srtPort) {
            throw ValidationError("--srt-port takes 0 to 65535, not \(srtPort)")
        }
        if let loops, !(0...256).contains(loops) {
            throw ValidationError("--loops takes 0 to 256, not \(loops)")
        }
        try validatePathsAndUsers()
    }

    private func validatePathsAndUsers() throws {
        if path.title != nil, sources.count > 1 { throw ValidationError("--title takes a single SOURCE") }
        var scratch = Configuration()
        do throws(InvalidArgument) {
            for text in user { try scratch.addUser(text) }
        } catch {
            throw ValidationError("--user \(error)")
        }
    }

    func run() throws {
        Signals.block()
        Heap.useSmallPages()
        Heap.limitFreeMemory()
        let crashes = CrashRecord()
        guard crashes?.waitBeforeStart() ?? true else { return }
        // After a crash this is not reached.
        defer { crashes?.endedNormally() }
        let writer: LogWriter
        do {
            writer = try LogWriter()
        } catch {
            // There is no thread for the log. The host has too few, and restarting at once would not help.
            writeToStandardError("apus: cannot start: \(error)\n")
            Systemd.waitBeforeTheNextStart()
            throw ExitCode.failure
        }
        do {
            var read = try read(config)
            try SourceArgument.refuseLoneMissingFile(arguments)
            let choice = read.configuration.chooseFirstCamera()
            if choice != nil { try path.applyToDefaultPath(of: &read) }
            let (configuration, file) = (read.configuration, read.file)
            let threshold = LogThreshold(configuration.log.level)
            let tail = LogTail()
            LoggingSystem.bootstrap {
                LineLogHandler(label: $0, threshold: threshold, tail: tail, write: writer.write)
            }
            let log = Logger(label: "apus")
            let assembly = try Assembly(
                configuration, stated: read.stated, log: log, threshold: threshold, logTail: tail, stateFolder: .usual
            ) { (user) throws(StateFailure) in
                try GeneratedAccess(keptIn: .usual, of: user, log: log)
            }
            if open, !configuration.users.isEmpty {
                log.warning("--open has no effect, because there are users: only they may watch")
            }
            if try arguments.contains(where: \.source.hasPassword) {
                log.warning(
                    "the shell's history may keep the password in the URL; use pull.password in a configuration file"
                )
            }
            try assembly.start()
            let systemd = Systemd(log: log)
            systemd.announceServing(assembly)
            crashes.map(assembly.notify)
            // The journal and log files may have other readers than the user of the terminal.
            let reader = isatty(STDOUT_FILENO) == 1 ? StartupNotice.Reader.terminal : .log
            writeToStandardOutput(assembly.noticeOfStartedServer().text(for: reader) + (choice.map { "\n\($0)" } ?? ""))
            // The chosen camera is in use from now on, so another search would not find it.
            let found = choice == nil ? [:] : configuration.paths
            let signal = Signals.waitForTermination(onStatusRequest: assembly.logStatus) {
                assembly.reload {
                    systemd.announceReload(of: assembly) { reload(file, withoutPaths: found, into: assembly, log) }
                }
            }
            systemd.announceEnd()
            log.notice("stopping", metadata: ["signal": "\(signal == SIGTERM ? "SIGTERM" : "SIGINT")"])
            assembly.stop()
            writer.flush(withinMilliseconds: 100)
        } catch {
            writer.flush(withinMilliseconds: 100)
            writeToStandardError("apus: \(error)\n")
            // Tells the service manager that a restart is useless (sysexits.h).
            if error is ConfigurationFailure || (error as? Assembly.Failure)?.isPermanent == true {
                throw ExitCode(EX_CONFIG)
            }
            Systemd.waitBeforeTheNextStart()
            throw ExitCode.failure
        }
    }

    /// Reads the configuration and applies the command line.
    private func read(_ file: String?) throws -> StatedConfiguration {
        var read = try StatedConfiguration(of: file)
        if let port { read.configuration.server.port = port }
        if let httpPort { read.configuration.http.port = httpPort }
        if let rtmpPort { read.configuration.serveRTMP(at: rtmpPort) }
        if let srtPort { read.configuration.serveSRT(at: srtPort) }
        if let udpPorts { read.configuration.use(udpPorts) }
        if let loops { read.configuration.loops.threads = loops }
        if let logLevel { read.configuration.log.level = logLevel }
        if open { read.configuration.access.open = true }
        do throws(InvalidArgument) {
            for text in user { try read.configuration.addUser(text) }
        } catch {
            throw ConfigurationConflict(description: "--user \(error)")
        }
        if !sources.isEmpty {
            var model = Configuration.Path()
            if multicast { model.multicast = .always }
            read.replacePaths(by: try SourceArgument.paths(arguments, like: model))
            try path.apply(to: &read)
        } else if !read.configuration.paths.isEmpty {
            try path.refuseWithoutSource()
        }
        return read
    }

    private var arguments: [SourceArgument] {
        get throws { try sources.map { text throws(SourceArgument.Refusal) in try SourceArgument(text) } }
    }

    /// Reloads the configuration file and applies the changes; an invalid configuration changes nothing.
    ///
    /// - Parameter paths: the paths to serve if the file has none.
    private func reload(
        _ file: String?, withoutPaths paths: [String: Configuration.Path], into assembly: Assembly, _ log: Logger
    ) {
        guard let file else {
            return log.warning("SIGHUP: there is no configuration file to reload")
        }
        do {
            var read = try read(file)
            if read.configuration.paths.isEmpty {
                read.configuration.paths = paths
                try path.applyToDefaultPath(of: &read)
            }
            let changes = assembly.apply(read.configuration, stated: read.stated)
            log.notice("configuration reloaded", metadata: ["file": "\(file)", "changes": "\(changes.count)"])
            for change in changes { log.notice("\(change)") }
        } catch {
            for problem in "\(error)".split(separator: "\n") { log.error("\(problem)") }
            log.error("the configuration was not changed", metadata: ["file": "\(file)"])
        }
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}

extension UDPPortRange: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}

/// An option that contradicts the configuration file.
private struct ConfigurationConflict: Error, CustomStringConvertible {
    let description: String
}
