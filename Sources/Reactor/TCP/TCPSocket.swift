import CLinux
import Glibc

/// The result of a read.
public enum ReadOutcome: Equatable, Sendable {
    /// The number of bytes read, at least one.
    case bytes(Int)
    case wouldBlock
    /// The peer closed its direction.
    case end
    case failed(SystemError)
}

/// The result of a write.
public enum WriteOutcome: Equatable, Sendable {
    /// The number of bytes accepted, which may be fewer than offered.
    case wrote(Int)
    case wouldBlock
    case failed(SystemError)
}

/// A TCP connection or connection attempt. It never blocks and raises no SIGPIPE.
@frozen public struct TCPSocket: ~Copyable {
    public let descriptor: Descriptor

    /// Takes ownership of a socket that is already non-blocking.
    public init(adopting descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }

    /// Starts to connect. The socket becomes writable when the attempt has ended; then check `connectionFailure`.
    public init(connectingTo address: SocketAddress) throws(SystemError) {
        let descriptor = try Descriptor(socket(address.family.domain, clinux_stream, 0), from: "socket")
        let status = address.withSockaddr { connect(descriptor.fd, $0, $1) }
        guard status == 0 || errno == EINPROGRESS || errno == EINTR else { throw .last("connect") }
        self.descriptor = descriptor
    }

    public var fd: Int32 { descriptor.fd }

    /// Passes on the ownership of the descriptor.
    public consuming func takeDescriptor() -> Descriptor { descriptor }
    public var localAddress: SocketAddress? { descriptor.localAddress }
    /// The peer's address; `nil` if the socket is not connected or was reset.
    public var peerAddress: SocketAddress? { descriptor.peerAddress }

    /// The smoothed round-trip time (TCP_INFO), in nanoseconds; `nil` if the kernel has not measured it.
    public var roundTrip: Int64? {
        let microseconds = clinux_round_trip(fd)
        return microseconds > 0 ? Int64(microseconds) * 1_000 : nil
    }

    /// The reason why the connection attempt failed, or `nil` if it succeeded. Call this once the socket is writable.
    public func connectionFailure() -> SystemError? {
        descriptor.takePendingError("connect")
    }

    /// Reads available bytes into `buffer`, which must have room for at least one.
    public func read(into buffer: UnsafeMutableRawBufferPointer) -> ReadOutcome {
        let count = uninterrupted { recv(fd, buffer.baseAddress, buffer.count, 0) }
        if count > 0 { return .bytes(count) }
        if count == 0 { return .end }
        return errno == EAGAIN ? .wouldBlock : .failed(.last("recv"))
    }

    /// Discards up to `byteCount` received bytes, at least one, without copying them.
    public func discard(_ byteCount: Int) -> ReadOutcome {
        // With MSG_TRUNC, TCP on Linux fills no buffer.
        let count = uninterrupted { recv(fd, nil, byteCount, Int32(MSG_TRUNC)) }
        if count > 0 { return .bytes(count) }
        if count == 0 { return .end }
        return errno == EAGAIN ? .wouldBlock : .failed(.last("recv"))
    }

    /// Writes the concatenation of `parts`; the kernel takes at most 1024 parts.
    public func write(_ parts: UnsafeBufferPointer<iovec>) -> WriteOutcome {
        var message = msghdr()
        // The kernel only reads through this pointer, but C's msghdr does not declare it const.
        message.msg_iov = UnsafeMutablePointer(mutating: parts.baseAddress)
        message.msg_iovlen = min(parts.count, Self.maximumPartCount)
        return outcome(uninterrupted { sendmsg(fd, &message, clinux_no_signal) })
    }

    /// Writes `bytes`.
    public func write(_ bytes: UnsafeRawBufferPointer) -> WriteOutcome {
        outcome(uninterrupted { send(fd, bytes.baseAddress, bytes.count, clinux_no_signal) })
    }

    /// Closes this direction: the peer reads what was written and then the end of the stream.
    public func endWriting() {
        // Fails only if the connection no longer exists.
        _ = shutdown(fd, Int32(SHUT_WR))
    }

    /// Closes the socket now; the kernel still sends what was written.
    public consuming func close() {}

    /// IOV_MAX of Linux.
    public static let maximumPartCount = 1024

    private func outcome(_ count: Int) -> WriteOutcome {
        if count >= 0 { return .wrote(count) }
        return errno == EAGAIN ? .wouldBlock : .failed(.last("send"))
    }
}

extension TCPSocket {
    /// Sends small writes at once (TCP_NODELAY) instead of waiting for acknowledgements.
    public func sendWithoutDelay() throws(SystemError) {
        try descriptor.setOption(clinux_level_tcp, TCP_NODELAY, 1)
    }

    /// Acknowledges what has been read now (TCP_QUICKACK), for peers that do not send the rest of a message before. The kernel
    /// delays later acknowledgements again.
    public func acknowledgeNow() {
        // Without it the peer waits for 40 ms, as if the option did not exist.
        try? descriptor.setOption(clinux_level_tcp, TCP_QUICKACK, 1)
    }

    /// Makes the socket writable only while fewer than `byteCount` bytes are unsent (TCP_NOTSENT_LOWAT), so that the backlog
    /// stays in the process, which can drop it.
    public func limitUnsent(toBytes byteCount: Int32) throws(SystemError) {
        try descriptor.setOption(clinux_level_tcp, TCP_NOTSENT_LOWAT, byteCount)
    }

    /// Sets the congestion control by the kernel's name, such as `cubic`, instead of the host's default.
    public func setCongestionControl(_ name: String) throws(SystemError) {
        let status = setsockopt(fd, clinux_level_tcp, TCP_CONGESTION, name, socklen_t(name.utf8.count))
        guard status == 0 else { throw .last("setsockopt") }
    }

    /// Ends the connection if the peer acknowledges nothing for this time (TCP_USER_TIMEOUT).
    public func setUserTimeout(milliseconds: Int32) throws(SystemError) {
        try descriptor.setOption(clinux_level_tcp, TCP_USER_TIMEOUT, milliseconds)
    }

    /// Sets the send buffer, which then does not grow; the kernel doubles the value for its bookkeeping.
    public func setSendBuffer(bytes byteCount: Int32) throws(SystemError) {
        try descriptor.setOption(SOL_SOCKET, SO_SNDBUF, byteCount)
    }

    /// Sets the receive buffer, which then does not grow; the kernel doubles the value for its bookkeeping.
    public func setReceiveBuffer(bytes byteCount: Int32) throws(SystemError) {
        try descriptor.setOption(SOL_SOCKET, SO_RCVBUF, byteCount)
    }

    /// Bytes written that the peer has not acknowledged (SIOCOUTQ); 0 if the connection is closed.
    public var unacknowledgedByteCount: Int { Int(max(clinux_unacknowledged_bytes(fd), 0)) }

    /// The peer's last advertised receive window, in bytes; `nil` before Linux 6.2.
    public var peerWindowByteCount: Int? {
        let byteCount = clinux_peer_window(fd)
        return byteCount >= 0 ? Int(byteCount) : nil
    }

    /// Bytes written that have never been sent (SIOCOUTQNSD); 0 if the connection is closed.
    public var unsentByteCount: Int { Int(max(clinux_unsent_bytes(fd), 0)) }
}
