import ArgumentParser
import Server

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the streams, viewers and event loops of a running server.",
        discussion: """
            For each stream, the stages show where frames spend time, in milliseconds: from capture to the encoder, in the \
            encoder, to packets, to the first sent byte, and to the last. A viewer's backlog is the media that has not been sent \
            to it yet, or that it has not read.

            Examples:
              apus status
              apus status --json | jq '.streams[0].stages.whole.p99'
              apus status --json --pictures
            """)

    @Option(help: "The configuration file of the server; ./apus.yml or /etc/apus/apus.yml by default.")
    var config: String?

    @Option(help: "TCP port of the server; server.port of the configuration by default.")
    var port: Int?

    @Flag(help: "Print the status as JSON.")
    var json = false

    @Flag(
        help: "With --json: also the times of the last 1024 frames, in nanoseconds of the monotonic clock.")
    var pictures = false

    func validate() throws {
        if let port, !(1...65_535).contains(port) { throw ValidationError("--port takes 1 to 65535, not \(port)") }
        if pictures, !json { throw ValidationError("--pictures needs --json") }
    }

    func run() throws {
        do {
            let answer = try RunningServer(config: config, port: port).ask(.status(hasPictureTimes: pictures))
            guard let status = answer.status else { throw RunningServer.MissingStatus() }
            writeToStandardOutput(json ? status.json : status.text)
        } catch {
            writeToStandardError("apus: \(error)\n")
            throw ExitCode.failure
        }
    }
}
