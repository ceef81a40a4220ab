import CLinux

/// The control messages of a datagram to be sent: its segment size for GSO and its source address.
public enum ControlMessages {
    /// Bytes that `write` needs at most. The buffer must be aligned to 8 bytes.
    public static let byteCount = 64

    /// Writes the control messages for a socket of `family`.
    ///
    /// - Parameters:
    ///   - segmentByteCount: The size of each datagram but the last (UDP_SEGMENT); `nil` for a single datagram.
    ///   - source: The source address, for hosts with several addresses; its port is ignored.
    /// - Returns: The bytes written, for `msg_controllen`; 0 if no control message is needed.
    public static func write(
        segmentByteCount: UInt16?, source: SocketAddress?, for family: AddressFamily,
        into buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        var used = 0
        if let segmentByteCount {
            used = clinux_control_segment(buffer.baseAddress, buffer.count, used, segmentByteCount)
        }
        guard let source, !source.isAny else { return used }
        switch family {
        case .ipv4:
            return clinux_control_source4(buffer.baseAddress, buffer.count, used, source.ipv4Address)
        case .ipv6:
            // An IPv6 socket takes an IPv4 source in its mapped form.
            return clinux_control_source6(buffer.baseAddress, buffer.count, used, source.ipv6Address, source.scope)
        }
    }
}
