import ArgumentParser
import Glibc
import Server

struct CertificateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificate",
        abstract: "Make a certificate for rtsps:// that this host signs itself.",
        discussion: """
            Writes certificate.pem and key.pem to where the server looks for them: $STATE_DIRECTORY, /var/lib/apus for root, \
            ~/.local/state/apus for others. Run it as the user who runs the server. Who has a certificate from elsewhere names \
            its files with tls.certificate and tls.key instead.

            Examples:
              apus certificate
              apus certificate --host garden.example --host 192.0.2.7
            """)

    @Option(
        help: ArgumentHelp(
            "A name or address that clients reach the server by; by default this host's name and addresses. More may be given.",
            valueName: "host"))
    var host: [String] = []

    @Option(help: "The folder to write to.")
    var folder: String?

    @Flag(help: "Write over those that are there; a running server takes them up, and viewers stay.")
    var replace = false

    func validate() throws {
        for text in host where URLHost(text) == nil {
            throw ValidationError("--host takes a name or an address, not \(text)")
        }
    }

    func run() throws {
        do {
            guard let place = folder.map({ StateFolder(at: $0) }) ?? StateFolder.usual else {
                throw ValidationError("there is no usual folder for it: name one with --folder")
            }
            let files = CertificateFiles(in: place.path)
            for path in [files.certificate, files.key] where !replace && access(path, F_OK) == 0 {
                throw ValidationError("\(path) is there already; --replace writes over it")
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
