import CLinux

/// What the kernel has measured of the path of a TCP connection (TCP_INFO). Times are in nanoseconds.
public struct TCPPath: Hashable, Sendable {
    public let roundTrip: Int64
    public let leastRoundTrip: Int64
    /// The latest rate at which data was delivered, in bytes per second.
    public let deliveryRate: UInt64
    /// The bytes that the peer has acknowledged so far.
    public let acknowledgedByteCount: UInt64
    /// Whether the sender had nothing more to send meanwhile, so that the path may carry more.
    public let isApplicationLimited: Bool
    /// How long the receiver's window has stopped the sender so far.
    public let windowLimited: Int64
}

extension TCPSocket {
    /// What the kernel has measured so far; `nil` if it does not tell.
    public var path: TCPPath? {
        var path = clinux_tcp_path()
        guard clinux_tcp_path(fd, &path) == 0 else { return nil }
        return TCPPath(
            roundTrip: Int64(path.round_trip) * 1_000, leastRoundTrip: Int64(path.least_round_trip) * 1_000,
            deliveryRate: path.delivery_rate, acknowledgedByteCount: path.acknowledged,
            isApplicationLimited: path.is_application_limited != 0,
            windowLimited: Int64(clamping: path.window_limited) &* 1_000)
    }
}
