import CLinux
import Glibc

/// What became of a read.
public enum ReadOutcome: Equatable, Sendable {
    /// This many bytes, at least one.
    case bytes(Int)
    case wouldBlock
    /// The peer ended its direction.
    case end
    case failed(SystemError)
}

/// What became of a write.
public enum WriteOutcome: Equatable, Sendable {
    /// This many bytes were taken: perhaps fewer than were offered.
    case wrote(Int)
    case wouldBlock
    case failed(SystemError)
}

/// A TCP connection, or an attempt at one; it never blocks and raises no SIGPIPE.
@frozen public struct TCPSocket: ~Copyable {
    public let descriptor: Descriptor

    /// Takes over a socket that is non-blocking already.
    public init(adopting descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }

    /// Begins to connect; the socket becomes writable when the attempt has ended, and `connectionFailure` says how.
    public init(connectingTo address: SocketAddress) throws(SystemError) {
        let descriptor = try Descriptor(socket(address.family.domain, clinux_stream, 0), from: "socket")
        let status = address.withSockaddr { connect(descriptor.fd, $0, $1) }
        guard status == 0 || errno == EINPROGRESS || errno == EINTR else { throw .last("connect") }
        self.descriptor = descriptor
    }

    public var fd: Int32 { descriptor.fd }

    /// Gives up the descriptor to whoever hands it on.
    public consuming func takeDescriptor() -> Descriptor { descriptor }
    public var localAddress: SocketAddress? { descriptor.localAddress }
    /// The peer's address; `nil` where the connection is not made or was reset.
    public var peerAddress: SocketAddress? { descriptor.peerAddress }

    /// Once writable: why the connection attempt failed, or `nil` where it succeeded.
    public func connectionFailure() -> SystemError? {
        descriptor.takePendingError("connect")
    }

    /// Reads what is there into `buffer`, which has room for at least one byte.
    public func read(into buffer: UnsafeMutableRawBufferPointer) -> ReadOutcome {
        let count = uninterrupted { recv(fd, buffer.baseAddress, buffer.count, 0) }
        if count > 0 { return .bytes(count) }
        if count == 0 { return .end }
        return errno == EAGAIN ? .wouldBlock : .failed(.last("recv"))
    }

    /// Lets go of up to `byteCount` bytes, at least one, that have come, without copying them.
    public func discard(_ byteCount: Int) -> ReadOutcome {
        // With MSG_TRUNC, TCP on Linux fills no buffer.
        let count = uninterrupted { recv(fd, nil, byteCount, Int32(MSG_TRUNC)) }
        if count > 0 { return .bytes(count) }
        if count == 0 { return .end }
        return errno == EAGAIN ? .wouldBlock : .failed(.last("recv"))
    }

    /// Writes the concatenation of `parts`, of which the kernel takes at most 1024.
    public func write(_ parts: UnsafeBufferPointer<iovec>) -> WriteOutcome {
        var message = msghdr()
        // The kernel only reads through this pointer; C has no way to say so.
        message.msg_iov = UnsafeMutablePointer(mutating: parts.baseAddress)
        message.msg_iovlen = min(parts.count, Self.maximumPartCount)
        return outcome(uninterrupted { sendmsg(fd, &message, clinux_no_signal) })
    }

    /// Writes `bytes`.
    public func write(_ bytes: UnsafeRawBufferPointer) -> WriteOutcome {
        outcome(uninterrupted { send(fd, bytes.baseAddress, bytes.count, clinux_no_signal) })
    }

    /// Ends this direction: the peer reads what was written and then the end.
    public func endWriting() {
        // Fails only where there is no connection any more.
        _ = shutdown(fd, Int32(SHUT_WR))
    }

    /// Closes it now; what was written is still sent.
    public consuming func close() {}

    /// IOV_MAX of Linux.
    public static let maximumPartCount = 1024

    private func outcome(_ count: Int) -> WriteOutcome {
        if count >= 0 { return .wrote(count) }
        return errno == EAGAIN ? .wouldBlock : .failed(.last("send"))
    }
}
