import ArgumentParser
import Glibc
import Logging
import Reactor
import Server

struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve streams over RTSP until SIGINT or SIGTERM.",
        discussion: """
            A SOURCE is testcard, a camera (/dev/video0), a file that FFmpeg opens, a fifo or - (standard input) with \
            H.264 in Annex B form, or name= and one of these, which puts it at /name. A lone SOURCE is at /cam; several \
            go by their files' names. Without any, the configured paths are served, and without those the first camera \
            that works, or else the test card.

            Examples:
              apus serve
              apus serve /dev/video0
              apus serve film.mp4
              apus serve --port 554 door=testcard yard=/srv/yard.mkv
              rpicam-vid -t 0 --inline -o - | apus serve -

            Clients on this host watch freely (access.loopback). Others need the password in the URLs that are printed on a terminal, \
            which is kept in the file that is named there, or are users of the configuration, as apus password makes them.

            SIGUSR1 makes it log, for each stream and each event loop, what was done since the last SIGUSR1. SIGHUP makes it \
            read its configuration again and take up what has changed; viewers of other streams notice nothing, and a \
            configuration that is wrong changes nothing. apus set changes options of a path without a file.
            """)

    @Option(help: "The configuration; ./apus.yml or /etc/apus/apus.yml where left out, and the defaults without them.")
    var config: String?

    @Option(help: "TCP port for RTSP; 8554 by default.")
    var port: Int?

    @Option(
        help: ArgumentHelp(
            "UDP ports for RTP and RTCP, of which each event loop takes an even one and the next; 6970-7169 by default.",
            valueName: "first-last"))
    var udpPorts: UDPPortRange?

    @Option(help: "Event loops that serve viewers; 0 for one per core.")
    var loops: Int?

    @Option(
        help: "Least level that is logged: \(Configuration.Log.Level.allCases.map(\.rawValue).joined(separator: ", "))."
    )
    var logLevel: Configuration.Log.Level?

    @Flag(help: "Send the SOURCEs to multicast groups too, all the time.")
    var multicast = false

    @Flag(help: "Let everybody watch without a password. Without it, and without users, only this host does.")
    var open = false

    @Argument(help: ArgumentHelp("What to serve instead of the configured paths.", valueName: "source"))
    var sources: [String] = []

    func validate() throws {
        if let port, !(1...65_535).contains(port) {
            throw ValidationError("--port takes 1 to 65535, not \(port)")
        }
        if let loops, !(0...256).contains(loops) {
            throw ValidationError("--loops takes 0 to 256, not \(loops)")
        }
    }

    func run() throws {
        Signals.block()
        Heap.useSmallPages()
        let crashes = CrashRecord()
        guard crashes?.waitBeforeStart() ?? true else { return }
        // A crash does not come here.
        defer { crashes?.endedNormally() }
        let writer: LogWriter
        do {
            writer = try LogWriter()
        } catch {
            // No thread for the log: the host is short of them, and starting again at once would not help.
            writeToStandardError("apus: cannot start: \(error)\n")
            Systemd.waitBeforeTheNextStart()
            throw ExitCode.failure
        }
        do {
            let (settings, file) = try read(config)
            try SourceArgument.refuseLoneMissingFile(arguments)
            var configuration = settings
            let choice = configuration.chooseFirstCamera()
            let threshold = LogThreshold(Logger.Level(configuration.log.level))
            LoggingSystem.bootstrap { LineLogHandler(label: $0, threshold: threshold, write: writer.write) }
            let log = Logger(label: "apus")
            let assembly = try Assembly(configuration, log: log, threshold: threshold) { () throws(StateFailure) in
                try ViewerAccess(keptIn: .usual, log: log)
            }
            if open, !configuration.users.isEmpty {
                log.warning("--open has no effect: the configuration has users, and nobody else is let in")
            }
            try assembly.start()
            let control = ControlServer.start(for: assembly, configuration, log: log)
            let systemd = Systemd(log: log)
            systemd.announceServing(assembly)
            crashes.map(assembly.notify)
            // The journal and files have other readers than the person who started the server.
            let reader = isatty(STDOUT_FILENO) == 1 ? StartupNotice.Reader.terminal : .log
            writeToStandardOutput(assembly.notice.text(for: reader) + (choice.map { "\n\($0)" } ?? ""))
            // The camera that was chosen is in use by now, so it would not be found again.
            let found = choice == nil ? [:] : configuration.paths
            let signal = Signals.waitForTermination(onStatusRequest: assembly.logStatus) {
                assembly.reload {
                    systemd.announceReload(of: assembly) { reload(file, withoutPaths: found, into: assembly, log) }
                }
            }
            systemd.announceEnd()
            log.notice("stopping", metadata: ["signal": "\(signal == SIGTERM ? "SIGTERM" : "SIGINT")"])
            assembly.stop()
            control?.stop()
            writer.flush(withinMilliseconds: 100)
        } catch {
            writer.flush(withinMilliseconds: 100)
            writeToStandardError("apus: \(error)\n")
            // By which a service manager knows that it is of no use to try again (sysexits.h).
            if error is ConfigurationFailure || (error as? Assembly.Failure)?.isPermanent == true {
                throw ExitCode(EX_CONFIG)
            }
            Systemd.waitBeforeTheNextStart()
            throw ExitCode.failure
        }
    }

    /// The configuration in `file`, with what the command line overrides, and the file that it came from.
    private func read(_ file: String?) throws -> (Configuration, file: String?) {
        let (settings, file) = try Configuration.load(file)
        var configuration = settings
        if let port { configuration.server.port = port }
        if let udpPorts { configuration.use(udpPorts) }
        if let loops { configuration.loops.threads = loops }
        if let logLevel { configuration.log.level = logLevel }
        if open { configuration.access.open = true }
        if !sources.isEmpty {
            var model = Configuration.Path()
            if multicast { model.multicast = .always }
            configuration.paths = try SourceArgument.paths(arguments, like: model)
        }
        return (configuration, file)
    }

    private var arguments: [SourceArgument] {
        get throws { try sources.map { text throws(SourceArgument.Refusal) in try SourceArgument(text) } }
    }

    /// Takes up what has changed in the file; a configuration that is wrong changes nothing.
    ///
    /// - Parameter paths: what is served where it names none.
    private func reload(
        _ file: String?, withoutPaths paths: [String: Configuration.Path], into assembly: Assembly, _ log: Logger
    ) {
        guard let file else {
            return log.warning("SIGHUP: no configuration file was read at the start, so none is read again")
        }
        do {
            var (configuration, _) = try read(file)
            if configuration.paths.isEmpty { configuration.paths = paths }
            let changes = assembly.apply(configuration)
            log.notice("configuration read again", metadata: ["file": "\(file)", "changes": "\(changes.count)"])
            for change in changes { log.notice("\(change)") }
        } catch {
            for problem in "\(error)".split(separator: "\n") { log.error("\(problem)") }
            log.error("the configuration stays as it was", metadata: ["file": "\(file)"])
        }
    }
}

extension Configuration.Log.Level: ExpressibleByArgument {}

extension UDPPortRange: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}
