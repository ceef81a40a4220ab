import CLinux

/// What the kernel has measured of the path of a TCP connection (TCP_INFO, SIOCOUTQ). Times are in nanoseconds.
///
/// It also has a rate of delivery, which tells nothing of a live stream: while a sender often has nothing to send, the kernel keeps the
/// highest value of all bursts.
public struct TCPPath: Hashable, Sendable {
    public var leastRoundTrip: Int64
    /// The bytes that the peer has acknowledged so far.
    public var acknowledgedByteCount: UInt64
    /// The bytes that were written and are not acknowledged.
    public var unacknowledgedByteCount: UInt64
    /// About how many of these have arrived behind a gap (selective acknowledgements, RFC 2018).
    public var selectedByteCount: UInt64
    /// How long ago the last acknowledgement came, in whole milliseconds.
    public var silence: Int64
    /// How long the receiver's window has stopped the sender so far.
    public var windowLimited: Int64

    public init(
        leastRoundTrip: Int64 = 0, acknowledgedByteCount: UInt64, unacknowledgedByteCount: UInt64,
        selectedByteCount: UInt64 = 0, silence: Int64 = 0, windowLimited: Int64 = 0
    ) {
        self.leastRoundTrip = leastRoundTrip
        self.acknowledgedByteCount = acknowledgedByteCount
        self.unacknowledgedByteCount = unacknowledgedByteCount
        self.selectedByteCount = selectedByteCount
        self.silence = silence
        self.windowLimited = windowLimited
    }
}

extension TCPSocket {
    /// What the kernel has measured so far; `nil` if it does not tell.
    public var path: TCPPath? {
        var path = clinux_tcp_path()
        guard clinux_tcp_path(fd, &path) == 0 else { return nil }
        let unacknowledged = UInt64(unacknowledgedByteCount)
        // Of all bytes in flight, the same share as of the segments.
        let inFlight = unacknowledged - min(unacknowledged, UInt64(path.unsent))
        let selected = inFlight * UInt64(min(path.selected, path.in_flight)) / UInt64(max(1, path.in_flight))
        return TCPPath(
            leastRoundTrip: Int64(path.least_round_trip) * 1_000, acknowledgedByteCount: path.acknowledged,
            unacknowledgedByteCount: unacknowledged, selectedByteCount: selected,
            silence: Int64(path.silence) * 1_000_000, windowLimited: Int64(clamping: path.window_limited) &* 1_000)
    }
}
