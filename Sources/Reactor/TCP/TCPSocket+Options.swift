import CLinux
import Glibc

extension TCPSocket {
    /// Sends small writes at once (TCP_NODELAY), instead of waiting for acknowledgements.
    public func sendWithoutDelay() throws(SystemError) {
        try descriptor.setOption(clinux_level_tcp, TCP_NODELAY, 1)
    }

    /// Has the socket count as writable only while fewer than `byteCount` bytes wait unsent (TCP_NOTSENT_LOWAT),
    /// so that a backlog stays where it can still be dropped.
    public func limitUnsent(toBytes byteCount: Int32) throws(SystemError) {
        try descriptor.setOption(clinux_level_tcp, TCP_NOTSENT_LOWAT, byteCount)
    }

    /// Chooses congestion control by the kernel's name, `cubic`, whatever the host's default is.
    public func setCongestionControl(_ name: String) throws(SystemError) {
        let status = setsockopt(fd, clinux_level_tcp, TCP_CONGESTION, name, socklen_t(name.utf8.count))
        guard status == 0 else { throw .last("setsockopt") }
    }

    /// Gives the connection up when the peer acknowledges nothing for this long (TCP_USER_TIMEOUT).
    public func setUserTimeout(milliseconds: Int32) throws(SystemError) {
        try descriptor.setOption(clinux_level_tcp, TCP_USER_TIMEOUT, milliseconds)
    }

    /// Fixes the send buffer, which then no longer grows by itself; the kernel doubles it for its bookkeeping.
    public func setSendBuffer(bytes byteCount: Int32) throws(SystemError) {
        try descriptor.setOption(SOL_SOCKET, SO_SNDBUF, byteCount)
    }

    /// Fixes the receive buffer, which then no longer grows by itself; the kernel doubles it for its bookkeeping.
    public func setReceiveBuffer(bytes byteCount: Int32) throws(SystemError) {
        try descriptor.setOption(SOL_SOCKET, SO_RCVBUF, byteCount)
    }

    /// Bytes written that the peer has not acknowledged (SIOCOUTQ); 0 where the connection is gone.
    public var unacknowledgedByteCount: Int { Int(max(clinux_unacknowledged_bytes(fd), 0)) }

    /// Bytes that the peer has room for, as it said last; `nil` where the kernel does not tell (before Linux 6.2).
    public var peerWindowByteCount: Int? {
        let byteCount = clinux_peer_window(fd)
        return byteCount >= 0 ? Int(byteCount) : nil
    }

    /// Bytes written that were not sent even once (SIOCOUTQNSD); 0 where the connection is gone.
    public var unsentByteCount: Int { Int(max(clinux_unsent_bytes(fd), 0)) }
}
