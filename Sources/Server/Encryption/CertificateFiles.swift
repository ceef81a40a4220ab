import Glibc
import Reactor
import TLS

/// The files of the server's certificate and of its key.
public struct CertificateFiles: Hashable, Sendable {
    public let certificate: String
    public let key: String

    /// One of the two files. The raw values are the options of the configuration.
    public enum File: String, Sendable {
        case certificate
        case key
    }

    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }

    /// The files of the configuration. If it names none, the files that `apus certificate` creates in `folder`.
    init(_ tls: Configuration.TLS, folder: StateFolder? = .usual) {
        let own = Self(in: folder?.path ?? ".")
        self.init(
            certificate: tls.certificate.isEmpty ? own.certificate : tls.certificate,
            key: tls.key.isEmpty ? own.key : tls.key)
    }

    /// The files that `apus certificate` creates in a folder.
    public init(in folder: String) {
        self.init(certificate: folder + "/certificate.pem", key: folder + "/key.pem")
    }

    /// The certificate and the key, if they can be used now.
    func identity() throws(CertificateFailure) -> ServerIdentity {
        let certificates = try read(.certificate)
        let secret = try read(.key)
        let identity: ServerIdentity
        do throws(IdentityFailure) {
            identity = try ServerIdentity(certificates: certificates, key: secret)
        } catch {
            throw CertificateFailure(error, self)
        }
        // A certificate that is not valid yet is accepted, because a host without a clock chip boots with a time in the past.
        let last = identity.validity.upperBound
        guard last >= WallClock.unixNanoseconds() / 1_000_000_000 else { throw .expired(self, at: last) }
        return identity
    }

    /// Checks that they can be used now.
    public func check() throws(CertificateFailure) {
        _ = try identity()
    }

    func path(of file: File) -> String {
        switch file {
        case .certificate: certificate
        case .key: key
        }
    }

    /// Whether users other than the owner may read the key.
    var isKeyReadableByOthers: Bool {
        var status = stat()
        return stat(key, &status) == 0 && status.st_mode & (S_IRGRP | S_IROTH) != 0
    }

    /// A chain of certificates has a few kilobytes.
    private static let maximumByteCount = 262_144

    private func read(_ file: File) throws(CertificateFailure) -> [UInt8] {
        let path = path(of: file)
        // O_NONBLOCK, so that opening a fifo by mistake does not block.
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
    /// Values that change when a file changes: device, inode number, length and modification time of both files.
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

    /// The present values.
    var stamp: Stamp { Stamp(self) }
}
