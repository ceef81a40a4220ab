import ArgumentParser
import Server

struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "version", abstract: "Say which release this is.")

    func run() {
        writeToStandardOutput("apus \(apusVersion)\n")
    }
}
