import ArgumentParser
import Glibc
import RTSP
import Reactor
import Server

/// The command `apus`, with one subcommand per file.
@main
struct Apus: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apus",
        abstract: "A low-latency RTSP server for cameras, files, and H.264 from other programs.",
        discussion: """
            Examples:
              apus serve                          the first camera, or a test card, at rtsp://HOST:8554/cam
              apus serve video.mp4                a file
              apus measure rtsp://127.0.0.1/cam   the latency of a stream

            """,
        version: apusVersion,
        subcommands: [
            ServeCommand.self, SetCommand.self, SettingsCommand.self, StatusCommand.self, CheckCommand.self,
            DevicesCommand.self, PasswordCommand.self, CertificateCommand.self, PlaylistCommand.self, SDPCommand.self,
            MeasureCommand.self, BenchCommand.self, ReferenceCommand.self, VersionCommand.self,
        ])

    /// Runs the subcommand, or suggests one if the name is unknown.
    static func main() {
        ProcessTitle.hide(password)
        if let unknown = UnknownCommand(in: Array(CommandLine.arguments.dropFirst())) {
            exit(withError: ValidationError(unknown.message))
        }
        main(nil)
    }

    /// Which bytes of an argument are secret: the password of a URL or of `--user NAME:PASSWORD`, or a stream key and all behind it.
    private static func password(in argument: String, after previous: String) -> Range<Int>? {
        let isUser = previous == "--user" || argument.hasPrefix("--user=")
        guard isUser, let colon = Array(argument.utf8).firstIndex(of: UInt8(ascii: ":")) else {
            return secret(inURL: argument)
        }
        return colon + 1..<argument.utf8.count
    }

    private static func secret(inURL argument: String) -> Range<Int>? {
        let password = UserInformation.passwordBytes(of: argument)
        guard argument.contains("forward"),
            let key = argument.firstMatch(of: /rtmps?:\/\/[^\/]*\/[^?]*\/([^?\/]+)/.ignoresCase())?.output.1
        else { return password }
        let start = argument.utf8.distance(from: argument.startIndex, to: key.startIndex)
        return min(start, password?.lowerBound ?? start)..<argument.utf8.count
    }
}
