import CLinux

/// What accompanies a datagram that is sent: how the kernel cuts it, and which address it leaves from.
public enum ControlMessages {
    /// Room for all that `write` writes, in bytes. Start it at a multiple of 8.
    public static let byteCount = 64

    /// Writes them for a socket of `family`; answers the bytes used, for `msg_controllen`: 0 where none is asked for.
    ///
    /// - Parameters:
    ///   - segmentByteCount: The size of each datagram but the last (UDP_SEGMENT); `nil` for a single one.
    ///   - source: The address to answer from, on hosts that have several; its port does not count.
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
            // An IPv6 socket names an IPv4 source in its mapped form.
            return clinux_control_source6(buffer.baseAddress, buffer.count, used, source.ipv6Address, source.scope)
        }
    }
}
