import ArgumentParser
import Server

struct PasswordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "password",
        abstract: "Hash a password for the configuration.",
        discussion: """
            Reads a password from the terminal, without showing it, or from a line of standard input, and prints the section \
            `users` with the user, to be copied into the configuration. Realm and hash algorithm are those of the configuration.

            Examples:
              apus password ann
              pwgen 16 1 | apus password --config /etc/apus/apus.yml door
            """)

    @Option(help: "The configuration file; ./apus.yml or /etc/apus/apus.yml by default, else the default options.")
    var config: String?

    @Flag(help: "Make a salted hash, which is useless to a thief, but works only with Basic over TLS and with SAT>IP.")
    var salted = false

    @Flag(help: "Keep the password in plain text.")
    var plain = false

    @Argument(help: "The name of the user.")
    var user: String

    func validate() throws {
        if salted, plain { throw ValidationError("--salted and --plain exclude each other") }
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
