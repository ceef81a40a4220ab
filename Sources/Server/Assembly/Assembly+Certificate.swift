import HTTPServer
import Logging
import RTMPServer
import RTSPServer
import Reactor
import TLS

extension Assembly {
    static func certificateWatch(
        _ files: CertificateFiles?, _ server: RTSPServer.Server, _ httpServer: HTTPServer.Server?,
        _ rtmpServer: RTMPServer.Server?, _ log: Logger
    ) throws(Failure) -> CertificateWatch? {
        guard let files else { return nil }
        if files.isKeyReadableByOthers {
            log.warning("other users of this host can read the key of the certificate; run: chmod 600 \(files.key)")
        }
        do throws(SystemError) {
            return try CertificateWatch(files, log: log) { identity in
                server.identify(by: identity)
                httpServer?.identify(by: identity)
                rtmpServer?.identify(by: identity)
            }
        } catch {
            throw Failure(description: "cannot start: \(error)")
        }
    }

    /// The certificate for clients with TLS; `nil` without TLS.
    static func identity(
        in files: CertificateFiles?, for configuration: Configuration
    ) throws(Failure) -> ServerIdentity? {
        guard let files else { return nil }
        // The check of the configuration does not see options of the command line.
        let isMulticast = configuration.servedPaths.first { $0.value.isMulticast }
        if configuration.tls.encryption == .strict, let name = isMulticast?.key {
            throw Failure(
                description:
                    "/\(name) is multicast, which is not encrypted, but tls.encryption is strict; change one of them")
        }
        do throws(CertificateFailure) {
            return try files.identity()
        } catch {
            throw Failure(description: "tls.\(error.file.rawValue): \(error)")
        }
    }
}
