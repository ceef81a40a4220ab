import CLinux

/// What the kernel has measured of the path of a TCP connection (TCP_INFO). Times are in nanoseconds.
///
/// It also has a rate of delivery, which tells nothing of a live stream: while a sender often has nothing to send, the kernel keeps the
/// highest value of all bursts.
public struct TCPPath: Hashable, Sendable {
    public let leastRoundTrip: Int64
    /// The bytes that the peer has acknowledged so far.
    public let acknowledgedByteCount: UInt64
    /// How long the receiver's window has stopped the sender so far.
    public let windowLimited: Int64
}

extension TCPSocket {
    /// What the kernel has measured so far; `nil` if it does not tell.
    public var path: TCPPath? {
        var path = clinux_tcp_path()
        guard clinux_tcp_path(fd, &path) == 0 else { return nil }
        return TCPPath(
            leastRoundTrip: Int64(path.least_round_trip) * 1_000, acknowledgedByteCount: path.acknowledged,
            windowLimited: Int64(clamping: path.window_limited) &* 1_000)
    }
}
