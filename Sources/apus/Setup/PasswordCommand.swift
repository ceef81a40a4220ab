import ArgumentParser
import Server

struct PasswordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "password",
        abstract: "Make what the configuration keeps of a password.",
        discussion: """
            Reads a password, from the terminal without showing it or else as a line of standard input, and prints the \
            section `users` with the user, to be put into the configuration. Realm and hash are those of the \
            configuration.

            Examples:
              apus password ann
              pwgen 16 1 | apus password --config /etc/apus/apus.yml door
            """)

    @Option(help: "The configuration; ./apus.yml or /etc/apus/apus.yml where left out, and the defaults without them.")
    var config: String?

    @Flag(help: "Make a salted hash: for Basic inside TLS and for SAT>IP alone, and of no use to who reads it.")
    var salted = false

    @Flag(help: "Leave the password as it is.")
    var plain = false

    @Argument(help: "Who it is for.")
    var user: String

    func validate() throws {
        if salted, plain { throw ValidationError("--salted and --plain cannot be had together") }
    }

    func run() throws {
        do {
            let (configuration, _) = try Configuration.load(config)
            let entry = try PasswordEntry(
                user: user, password: try readPassword(.twice), as: plain ? .plain : salted ? .salted : .digest,
                for: configuration.access)
            for warning in entry.warnings { writeToStandardError("apus: note: \(warning)\n") }
            writeToStandardOutput(entry.text)
        } catch {
            writeToStandardError("apus: \(error)\n")
            throw ExitCode.failure
        }
    }
}
