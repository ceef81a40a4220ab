import ArgumentParser
import Server

struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Say whether a configuration is right, or all that is wrong with it.",
        discussion: """
            Looks also at this host: whether files are there, and whether it has the addresses. Exits with 1 where something \
            is wrong, and with 0 where nothing is, or nothing but warnings: of what has no effect. apus serve starts with \
            sources that are missing, and looks for them again and again.
            """)

    @Flag(
        help: """
            Also run each source until it gives a picture, 5 s at most for each. Fifos and standard input are not read. A camera \
            that a running server has cannot be opened.
            """)
    var sources = false

    @Argument(help: "The configuration; ./apus.yml or /etc/apus/apus.yml where left out.")
    var file: String?

    func run() throws {
        let review: ConfigurationReview
        do throws(ConfigurationFailure) {
            review = try ConfigurationReview(of: file, opensSources: sources)
        } catch {
            writeToStandardError("\(error)\n")
            throw ExitCode.failure
        }
        writeToStandardError(review.text)
        guard review.errors.isEmpty else { throw ExitCode.failure }
        let count = review.warnings.count
        let verdict = count == 0 ? "right" : "right, with \(count) \(count == 1 ? "warning" : "warnings")"
        writeToStandardOutput(
            "\(review.file ?? "no file, so the defaults"): \(verdict)\n\(review.configuration.summary)")
    }
}
