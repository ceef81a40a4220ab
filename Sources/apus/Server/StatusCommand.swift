import ArgumentParser
import Server

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show what a running server does: streams and what their pictures spend where, viewers, event loops.",
        discussion: """
            Stages are told as milliseconds since the stream was made: from the capture of a picture to the encoder, in the \
            encoder, to packets, to the first byte that was sent of it and to the last. A viewer's backlog is what has not been \
            sent to it, or read by it.

            Examples:
              apus status
              apus status --json | jq '.streams[0].stages.whole.p99'
              apus status --json --pictures
            """)

    @Option(help: "The configuration that the server runs with; ./apus.yml or /etc/apus/apus.yml where left out.")
    var config: String?

    @Option(help: "TCP port of the server; server.port of the configuration by default.")
    var port: Int?

    @Flag(help: "For machines.")
    var json = false

    @Flag(
        help: "With --json: the instants of each of the last 1024 pictures too, in nanoseconds of the monotonic clock.")
    var pictures = false

    func validate() throws {
        if let port, !(1...65_535).contains(port) { throw ValidationError("--port takes 1 to 65535, not \(port)") }
        if pictures, !json { throw ValidationError("--pictures goes with --json") }
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
