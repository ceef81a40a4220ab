import CLinux
import Glibc

/// What became of a read that makes its own array.
public enum UnixReadOutcome: Sendable {
    /// At least one.
    case bytes([UInt8])
    case wouldBlock
    /// The peer ended its direction.
    case end
    case failed(SystemError)
}

/// A connection between two processes of this host, through a socket in the file system (unix(7)).
///
/// It never blocks and raises no SIGPIPE.
public struct UnixSocket: ~Copyable {
    public let descriptor: Descriptor

    /// Takes over a socket that is non-blocking already.
    init(adopting descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }

    /// Connects to who listens at `path`.
    ///
    /// - Throws: ENOENT where nothing is, ECONNREFUSED where nobody listens, EAGAIN where too many wait to be accepted.
    public init(connectingTo path: String) throws(SystemError) {
        let descriptor = try Descriptor(socket(AF_UNIX, clinux_stream, 0), from: "socket")
        let failure = try sockaddr_un.with(path: path) { address, byteCount in
            connect(descriptor.fd, address, byteCount) == 0 ? nil : SystemError.last("connect")
        }
        if let failure { throw failure }
        self.descriptor = descriptor
    }

    public var fd: Int32 { descriptor.fd }

    /// The user that the peer was when it connected (SO_PEERCRED); `nil` where the kernel does not say.
    public var peerUser: UInt32? { UInt32(exactly: clinux_peer_user(fd)) }

    /// Reads what is there, at most so many bytes.
    public func read(atMost byteCount: Int) -> UnixReadOutcome {
        var failure: SystemError?
        let bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, initializedCount in
            let count = uninterrupted { recv(fd, buffer.baseAddress, buffer.count, 0) }
            if count < 0 { failure = .last("recv") }
            initializedCount = max(0, count)
        }
        guard let failure else { return bytes.isEmpty ? .end : .bytes(bytes) }
        return failure.code == EAGAIN ? .wouldBlock : .failed(failure)
    }

    /// Writes as much of `bytes` as is taken.
    public func write(_ bytes: ArraySlice<UInt8>) -> WriteOutcome {
        let count = bytes.withUnsafeBytes { buffer in
            uninterrupted { send(fd, buffer.baseAddress, buffer.count, clinux_no_signal) }
        }
        if count >= 0 { return .wrote(count) }
        return errno == EAGAIN ? .wouldBlock : .failed(.last("send"))
    }

    /// Blocks until there is something to read, or so long; false where nothing came.
    public func waitToRead(milliseconds: Int32) -> Bool {
        var wanted = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
        return uninterrupted { poll(&wanted, 1, milliseconds) } > 0
    }
}
