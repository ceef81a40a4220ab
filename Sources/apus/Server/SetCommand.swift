import ArgumentParser
import Server

struct SetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change options of a path while the server runs; its viewers stay.",
        discussion: """
            KEY is an option below paths.NAME of the configuration, VALUE what stands behind its colon. Several are changed \
            together, or none where one cannot be. It prints what was done. The change holds until the server ends or reads \
            its configuration again (SIGHUP); to keep it, write it into the file.

            Examples:
              apus set cam video.bitsPerSecond=4000000
              apus set cam video.width=640 video.height=360 video.framesPerSecond=15
              apus set cam camera.controls.brightness=128
              apus set cam source=/srv/film.mp4 title='Tonight: a film'
            """)

    @Option(help: "The configuration that the server runs with; ./apus.yml or /etc/apus/apus.yml where left out.")
    var config: String?

    @Option(help: "TCP port of the server; server.port of the configuration by default.")
    var port: Int?

    @Argument(help: "The path: cam or /cam.")
    var path: String

    @Argument(help: ArgumentHelp("What to set.", valueName: "key=value"))
    var assignments: [String]

    func validate() throws {
        if let port, !(1...65_535).contains(port) { throw ValidationError("--port takes 1 to 65535, not \(port)") }
    }

    func run() throws {
        do {
            let answer = try RunningServer(config: config, port: port).ask(.set(path: path, assignments: assignments))
            writeToStandardOutput(answer.lines.map { "\($0)\n" }.joined())
        } catch {
            writeToStandardError("apus: \(error)\n")
            throw ExitCode.failure
        }
    }
}
