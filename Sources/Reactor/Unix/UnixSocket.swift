import CLinux
import Glibc

/// The result of a read that returns a new array.
public enum UnixReadOutcome: Sendable {
    /// The bytes read, at least one.
    case bytes([UInt8])
    case wouldBlock
    /// The peer closed its direction.
    case end
    case failed(SystemError)
}

/// A connection between two processes of this host, through a socket in the file system (unix(7)). It never blocks and raises
/// no SIGPIPE.
public struct UnixSocket: ~Copyable {
    public let descriptor: Descriptor

    /// Takes ownership of a socket that is already non-blocking.
    init(adopting descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }

    /// Connects to the process that listens at `path`.
    ///
    /// - Throws: ENOENT if the path does not exist, ECONNREFUSED if no process listens, EAGAIN if the listener's queue is full.
    public init(connectingTo path: String) throws(SystemError) {
        let descriptor = try Descriptor(socket(AF_UNIX, clinux_stream, 0), from: "socket")
        let failure = try sockaddr_un.with(path: path) { address, byteCount in
            connect(descriptor.fd, address, byteCount) == 0 ? nil : SystemError.last("connect")
        }
        if let failure { throw failure }
        self.descriptor = descriptor
    }

    public var fd: Int32 { descriptor.fd }

    /// The user ID of the peer when it connected (SO_PEERCRED); `nil` if the kernel does not report it.
    public var peerUser: UInt32? { UInt32(exactly: clinux_peer_user(fd)) }

    /// Reads available bytes, at most `byteCount`.
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

    /// Writes as many of `bytes` as the kernel accepts.
    public func write(_ bytes: ArraySlice<UInt8>) -> WriteOutcome {
        let count = bytes.withUnsafeBytes { buffer in
            uninterrupted { send(fd, buffer.baseAddress, buffer.count, clinux_no_signal) }
        }
        if count >= 0 { return .wrote(count) }
        return errno == EAGAIN ? .wouldBlock : .failed(.last("send"))
    }

    /// Blocks until there are bytes to read, or for `milliseconds`; returns false if none came.
    public func waitToRead(milliseconds: Int32) -> Bool {
        descriptor.waitToRead(milliseconds: milliseconds)
    }
}
