import ArgumentParser
import Glibc
import Server

struct CertificateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificate",
        abstract: "Make a self-signed certificate for rtsps://.",
        discussion: """
            Writes certificate.pem and key.pem into the folder in which the server looks for them: $STATE_DIRECTORY, or \
            /var/lib/apus for root, or ~/.local/state/apus for other users. Run it as the user that runs the server. To use a \
            certificate of a certificate authority, name its files with tls.certificate and tls.key in the configuration.

            Examples:
              apus certificate
              apus certificate --host garden.example --host 192.0.2.7
            """)

    @Option(
        help: ArgumentHelp(
            "A name or address of the server for clients; this host's name and addresses by default. May be repeated.",
            valueName: "host"))
    var host: [String] = []

    @Option(help: "The folder to write to.")
    var folder: String?

    @Flag(help: "Replace existing files. A running server loads the new files, and viewers stay connected.")
    var replace = false

    func validate() throws {
        for text in host where URLHost(text) == nil {
            throw ValidationError("--host takes a name or an address, not \(text)")
        }
    }

    func run() throws {
        do {
            guard let place = folder.map({ StateFolder(at: $0) }) ?? StateFolder.usual else {
                throw ValidationError("there is no default folder for this user; name a folder with --folder")
            }
            let files = CertificateFiles(in: place.path)
            for path in [files.certificate, files.key] where !replace && access(path, F_OK) == 0 {
                throw ValidationError("\(path) exists already; replace it with --replace")
            }
            let hosts = host.isEmpty ? OwnCertificate.usualHosts() : host.compactMap { URLHost($0) }
            let own = try OwnCertificate(for: hosts, in: place)
            writeToStandardOutput(own.text(isUsual: folder == nil))
        } catch {
            writeToStandardError("apus: \(error)\n")
            throw ExitCode.failure
        }
    }
}
