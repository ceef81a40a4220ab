import TestSupport

extension TemporaryFolder {
    /// Creates a folder with a certificate of 127.0.0.1 and its key, made by the product itself.
    static func withCertificate() async throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let made = try await Command.run(
            [ServerProcess.binary(), "certificate", "--folder", folder.path, "--host", "127.0.0.1"])
        guard made.status == 0 else { throw Command.Failure.cannotStart(made.diagnostics) }
        return folder
    }

    /// The certificate and the key as options of `tls`.
    var certificateOptions: String {
        "certificate: \(file("certificate.pem")), key: \(file("key.pem"))"
    }
}
