import ArgumentParser
import Server

struct SetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change options of a path while the server runs.",
        discussion: """
            KEY is an option of the section paths.NAME of the configuration, and VALUE its value. Viewers stay connected. If one \
            of several options is invalid, none is changed. The command prints the changes. They last until the server ends \
            or reloads its configuration (SIGHUP); to keep a change, write it into the configuration file.

            Examples:
              apus set cam video.bitrate=4M
              apus set cam video.width=640 video.height=360 video.frameRate=15
              apus set cam camera.controls.brightness=128
              apus set cam source=/srv/video.mp4 title='Tonight: a video'
            """)

    @Option(help: "The configuration file of the server; ./apus.yml or /etc/apus/apus.yml by default.")
    var config: String?

    @Option(help: "TCP port of the server; server.port of the configuration by default.")
    var port: Int?

    @Argument(help: "The path: cam or /cam.")
    var path: String

    @Argument(help: ArgumentHelp("The options to set.", valueName: "key=value"))
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
