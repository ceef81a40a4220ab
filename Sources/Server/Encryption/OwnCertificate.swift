import Glibc
import Reactor
import TLS

/// A self-signed certificate of this host and its key, in files.
public struct OwnCertificate: Sendable {
    public let files: CertificateFiles
    private let hosts: [URLHost]

    /// Ten years, because clients must be told to trust each new one.
    private static let days = 3_650

    /// Creates a certificate and a key for `hosts`, at least one, and stores them in `folder`, where they replace existing files. The
    /// key is readable by its owner only.
    public init(for hosts: [URLHost], in folder: StateFolder) throws(StateFailure) {
        self.hosts = hosts
        files = CertificateFiles(in: folder.path)
        let made: SelfSignedCertificate
        do throws(IdentityFailure) {
            made = try SelfSignedCertificate(for: hosts.map(\.certificateName), days: Self.days)
        } catch {
            throw StateFailure("\(CertificateFailure(error, files))")
        }
        try folder.make()
        // The key first: a server that reads a new key and an old certificate notices that they do not match.
        try folder.write(made.key, to: files.key, mode: 0o600)
        try folder.write(made.certificate, to: files.certificate, mode: 0o644)
    }

    /// The names under which clients reach this host: its host name, its addresses, and localhost.
    public static func usualHosts() -> [URLHost] {
        var name = [CChar](repeating: 0, count: 256)
        let isNamed = gethostname(&name, name.count - 1) == 0
        let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let own = isNamed ? [URLHost(text)].compactMap(\.self) : []
        // If the list of interfaces cannot be read, the other names remain.
        let addresses = (try? LocalAddresses.all()) ?? []
        let loopback = ["127.0.0.1", "::1"].compactMap { URLHost($0) }
        return own.filter { $0 != .local } + [.local] + addresses.map(URLHost.address) + loopback
    }

    /// What was created, and how to use it. Each line ends with a line feed.
    ///
    /// - Parameter isUsual: whether the configuration need not name the files.
    public func text(isUsual: Bool) -> String {
        let names = isUsual ? [] : ["  certificate: \"\(files.certificate)\"", "  key: \"\(files.key)\""]
        let lines =
            [
                "A certificate for \(hosts.map(\.certificateName.text).joined(separator: ", ")), valid for ten years:",
                "  \(files.certificate)", "and its private key:", "  \(files.key)", "",
                "With these lines in the configuration, Apus serves rtsps:// as well as rtsp://:", "", "tls:",
                "  encryption: optional",
            ] + names + [
                "",
                "The certificate is self-signed: clients that verify certificates need a copy of the first file.",
            ]
        return lines.map { $0 + "\n" }.joined()
    }
}

extension URLHost {
    /// The name in a certificate.
    fileprivate var certificateName: SelfSignedCertificate.Name {
        switch self {
        case .local: .host("localhost")
        case .address(let address): .address(address.host)
        case .name(let name): .host(name)
        }
    }
}
