import Glibc
import Reactor
import TLS

/// The files of the server's certificate and of its key.
public struct CertificateFiles: Hashable, Sendable {
    public let certificate: String
    public let key: String

    /// Which of the two; as the configuration calls them.
    public enum File: String, Sendable {
        case certificate
        case key
    }

    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }

    /// Those of the configuration: where it names none, those that `apus certificate` makes in `folder`.
    init(_ tls: Configuration.TLS, folder: StateFolder? = .usual) {
        let own = Self(in: folder?.path ?? ".")
        self.init(
            certificate: tls.certificate.isEmpty ? own.certificate : tls.certificate,
            key: tls.key.isEmpty ? own.key : tls.key)
    }

    /// Those that `apus certificate` makes in a folder.
    public init(in folder: String) {
        self.init(certificate: folder + "/certificate.pem", key: folder + "/key.pem")
    }

    /// What they hold, if it can be used now.
    func identity() throws(CertificateFailure) -> ServerIdentity {
        let certificates = try read(.certificate)
        let secret = try read(.key)
        let identity: ServerIdentity
        do throws(IdentityFailure) {
            identity = try ServerIdentity(certificates: certificates, key: secret)
        } catch {
            throw CertificateFailure(error, self)
        }
        // One that is to begin later is no failure: a host without a clock chip boots years off.
        let last = identity.validity.upperBound
        guard last >= WallClock.unixNanoseconds() / 1_000_000_000 else { throw .expired(self, at: last) }
        return identity
    }

    /// - Throws: what is wrong with them.
    public func check() throws(CertificateFailure) {
        _ = try identity()
    }

    func path(of file: File) -> String {
        switch file {
        case .certificate: certificate
        case .key: key
        }
    }

    /// Whether others than its owner may read the key.
    var isKeyReadableByOthers: Bool {
        var status = stat()
        return stat(key, &status) == 0 && status.st_mode & (S_IRGRP | S_IROTH) != 0
    }

    /// A chain of certificates is a few kilobytes.
    private static let maximumByteCount = 262_144

    private func read(_ file: File) throws(CertificateFailure) -> [UInt8] {
        let path = path(of: file)
        // Whoever names a fifo is told so, and not waited for.
        let fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard fd >= 0 else { throw .unreadable(file, path, errno) }
        defer { close(fd) }
        var status = stat()
        guard fstat(fd, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.maximumByteCount
        else {
            throw .noPEM(file, path)
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let count = Glibc.read(fd, &bytes, bytes.count)
        guard count >= 0 else { throw .unreadable(file, path, errno) }
        return Array(bytes.prefix(count))
    }
}

extension CertificateFiles {
    /// What changes when a file does: device, number, length and time of each.
    struct Stamp: Hashable, Sendable {
        private let values: [Int64]

        fileprivate init(_ files: CertificateFiles) {
            values = [files.certificate, files.key].flatMap { path in
                var status = stat()
                guard stat(path, &status) == 0 else { return [Int64(-1)] }
                return [
                    Int64(truncatingIfNeeded: status.st_dev), Int64(truncatingIfNeeded: status.st_ino),
                    Int64(status.st_size), Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec),
                ]
            }
        }
    }

    /// As they are now.
    var stamp: Stamp { Stamp(self) }
}
