import ArgumentParser
import Server

struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "version", abstract: "Print the version.")

    func run() {
        writeToStandardOutput("apus \(apusVersion)\n")
    }
}
