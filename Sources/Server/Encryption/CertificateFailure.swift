import Glibc
import Reactor
import TLS

/// Why a certificate and its key cannot be used, and the remedy: one sentence without a full stop.
public struct CertificateFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file that causes the failure.
    public let file: CertificateFiles.File
    public let description: String

    private init(_ file: CertificateFiles.File, _ description: String) {
        self.file = file
        self.description = description
    }

    static func unreadable(_ file: CertificateFiles.File, _ path: String, _ code: Int32) -> Self {
        let name = printable(path)
        return switch code {
        case ENOENT, ENOTDIR:
            Self(
                file,
                "there is no file \(name); correct the option, or create a certificate and key with `apus certificate`")
        case EACCES, EPERM:
            Self(file, "this user has no permission to read \(name); make the file readable for this user only")
        default: Self(file, "\(name) cannot be read: \(SystemError(call: "open", code: code))")
        }
    }

    static func noPEM(_ file: CertificateFiles.File, _ path: String) -> Self {
        let kind = file == .certificate ? "CERTIFICATE" : "PRIVATE KEY"
        return Self(
            file,
            "\(printable(path)) contains no \(file.rawValue) in PEM format, which begins with -----BEGIN \(kind)-----")
    }

    static func expired(_ files: CertificateFiles, at seconds: Int64) -> Self {
        Self(
            .certificate,
            "the certificate in \(printable(files.certificate)) expired on \(date(seconds)); renew it, or replace it with "
                + "`apus certificate --replace`")
    }

    init(_ failure: IdentityFailure, _ files: CertificateFiles) {
        let (certificate, key) = (printable(files.certificate), printable(files.key))
        self =
            switch failure {
            case .noLibrary(let reason): Self(.certificate, "TLS needs OpenSSL (the package libssl3): \(reason)")
            case .noCertificate: .noPEM(.certificate, files.certificate)
            case .noKey: .noPEM(.key, files.key)
            case .encryptedKey:
                Self(
                    .key,
                    "\(key) has a passphrase, which Apus cannot use; remove it with: openssl pkey -in \(key) -out NEW")
            case .mismatchedKey: Self(.key, "\(key) is not the key of the certificate in \(certificate)")
            case .weakKey:
                Self(
                    .certificate,
                    "the key of the certificate in \(certificate), or of an intermediate certificate, is too short for OpenSSL"
                )
            case .impossible: Self(.certificate, "OpenSSL cannot use the certificate in \(certificate) on this host")
            }
    }

    /// The date: `2026-11-21`.
    private static func date(_ seconds: Int64) -> String {
        var (time, parts) = (time_t(seconds), tm())
        gmtime_r(&time, &parts)
        func digits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(parts.tm_year + 1900)-\(digits(parts.tm_mon + 1))-\(digits(parts.tm_mday))"
    }
}
