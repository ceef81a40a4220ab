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

            SIGUSR1 makes it log, for each stream and each event loop, what was done since the last SIGUSR1.
            """)

    @Option(help: "The configuration; ./apus.yml or /etc/apus/apus.yml where left out, and the defaults without them.")
    var config: String?

    @Option(help: "TCP port for RTSP; 8554 by default.")
    var port: Int?

    @Option(help: "Event loops that serve viewers; 0 for one per core.")
    var loops: Int?

    @Option(
        help: "Least level that is logged: \(Configuration.Log.Level.allCases.map(\.rawValue).joined(separator: ", "))."
    )
    var logLevel: Configuration.Log.Level?

    @Flag(help: "Send the SOURCEs to multicast groups too, all the time.")
    var multicast = false

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
        Signals.hold()
        do {
            var configuration = try settings()
            let choice = configuration.chooseFirstCamera()
            let log = logger(configuration.log.level)
            let assembly = try Assembly(configuration, log: log)
            try assembly.start()
            writeToStandardOutput(assembly.notice.text + (choice.map { "\n\($0)" } ?? ""))
            let signal = Signals.waitForTermination(onStatusRequest: assembly.logStatus)
            log.notice("stopping", metadata: ["signal": "\(signal == SIGTERM ? "SIGTERM" : "SIGINT")"])
            assembly.stop()
        } catch {
            writeToStandardError("apus: \(error)\n")
            throw ExitCode.failure
        }
    }

    /// The configuration with what the command line overrides.
    private func settings() throws -> Configuration {
        var (configuration, _) = try Configuration.load(config)
        if let port { configuration.server.port = port }
        if let loops { configuration.loops.threads = loops }
        if let logLevel { configuration.log.level = logLevel }
        if !sources.isEmpty {
            var model = Configuration.Path()
            if multicast { model.multicast = .always }
            let arguments = try sources.map { text throws(SourceArgument.Refusal) in try SourceArgument(text) }
            try SourceArgument.refuseLoneMissingFile(arguments)
            configuration.paths = try SourceArgument.paths(arguments, like: model)
        }
        return configuration
    }

    private func logger(_ level: Configuration.Log.Level) -> Logger {
        let level = Logger.Level(rawValue: level.rawValue) ?? .info
        LoggingSystem.bootstrap { LineLogHandler(label: $0, level: level) }
        return Logger(label: "apus")
    }
}

extension Configuration.Log.Level: ExpressibleByArgument {}
