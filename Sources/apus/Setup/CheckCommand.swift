import ArgumentParser
import Server

struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a configuration and list all errors.",
        discussion: """
            Also checks this host: whether the files exist, and whether the host has the addresses. Exit status: 0 without \
            errors, even with warnings about options that have no effect; 1 with errors. Missing sources do not keep apus serve \
            from starting; it looks for them again and again.

            The settings that were changed over HTTP are read from settings.yml in the folder of the user that runs this command: \
            $STATE_DIRECTORY, or /var/lib/apus for root, or ~/.local/state/apus for other users.
            """)

    @Flag(
        help: """
            Also open each source and wait for its first frame, for at most 5 s each. Fifos and standard input are not read. A \
            camera that a running server uses cannot be opened.
            """)
    var sources = false

    @Flag(
        help:
            "Also print every option with its value and where it comes from: the file and its line, settings.yml, or the default."
    )
    var values = false

    @Argument(help: "The configuration file; ./apus.yml or /etc/apus/apus.yml by default.")
    var file: String?

    func run() throws {
        let review: ConfigurationReview
        do throws(ConfigurationFailure) {
            review = try ConfigurationReview(of: file, opensSources: sources, stateFolder: .usual)
        } catch {
            writeToStandardError("\(error)\n")
            throw ExitCode.failure
        }
        writeToStandardError(review.text)
        guard review.errors.isEmpty else { throw ExitCode.failure }
        let count = review.warnings.count
        let verdict = count == 0 ? "right" : "right, with \(count) \(count == 1 ? "warning" : "warnings")"
        writeToStandardOutput(
            "\(review.file ?? "no file, so the defaults"): \(verdict)\n\(review.configuration.summary)\(review.settingsText)"
                + (values ? review.valuesText : ""))
    }
}
