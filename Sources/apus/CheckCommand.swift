import ArgumentParser
import Server

struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Say whether a configuration is right, or all that is wrong with it.",
        discussion: "Exits with 0 where it is right and with 1 where it is not.")

    @Argument(help: "The configuration; ./apus.yml or /etc/apus/apus.yml where left out.")
    var file: String?

    func run() throws {
        do throws(ConfigurationFailure) {
            let (configuration, file) = try Configuration.load(file)
            writeToStandardOutput("\(file ?? "no file, so the defaults"): right\n\(configuration.summary)")
        } catch {
            writeToStandardError("\(error)\n")
            throw ExitCode.failure
        }
    }
}
