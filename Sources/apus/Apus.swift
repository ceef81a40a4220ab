import ArgumentParser
import Server

/// The command: `apus serve`, and what helps with it. One file per verb.
@main
struct Apus: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apus",
        abstract: "A low-latency RTSP server: one command puts a stream behind an rtsp URL.",
        version: apusVersion,
        subcommands: [
            ServeCommand.self, SetCommand.self, StatusCommand.self, CheckCommand.self, DevicesCommand.self,
            PasswordCommand.self, CertificateCommand.self, PlaylistCommand.self, SDPCommand.self,
            MeasureCommand.self, BenchCommand.self, ReferenceCommand.self, VersionCommand.self,
        ])
}
