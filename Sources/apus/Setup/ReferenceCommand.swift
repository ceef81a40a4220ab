import ArgumentParser
import Server

struct ReferenceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reference",
        abstract: "Print a configuration with all options, their defaults and explanations.")

    func run() {
        writeToStandardOutput(Configuration.reference)
    }
}
