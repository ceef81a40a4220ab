import ArgumentParser
import Server

struct ReferenceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reference",
        abstract: "Print a configuration with every option, its default, unit and reason.")

    func run() {
        writeToStandardOutput(Configuration.reference)
    }
}
