import CLinux
import Glibc

/// What receivers of media need beyond a server's sockets.
extension UDPSocket {
    /// Has the kernel note when each datagram came, before it waits to be read (SO_TIMESTAMPNS).
    public func enableArrivalTimes() throws(SystemError) {
        guard clinux_tell_arrivals(fd) == 0 else { throw .last("setsockopt") }
    }

    /// Has the kernel hand over a train as it was sent, in one piece (UDP_GRO), or cut into its datagrams.
    public func setGRO(whole isWhole: Bool) throws(SystemError) {
        try descriptor.setOption(clinux_level_udp, clinux_receive_trains, isWhole ? 1 : 0)
    }

    /// A receiver of `group` at its port, beside others on this host (SO_REUSEADDR); takes nothing that is sent
    /// elsewhere.
    ///
    /// - Parameter address: Of the interface to receive by; the route's, if not given.
    public init(
        receiving group: SocketAddress, onInterfaceHaving address: SocketAddress? = nil,
        bufferByteCount: Int32 = 4 << 20
    ) throws(SystemError) {
        let descriptor = try Descriptor(socket(group.family.domain, clinux_datagram, 0), from: "socket")
        try descriptor.setOption(SOL_SOCKET, SO_REUSEADDR, 1)
        try descriptor.setOption(SOL_SOCKET, SO_RCVBUF, bufferByteCount)
        try descriptor.bind(group, for: group.family)
        try descriptor.changeMembership(MCAST_JOIN_GROUP, of: group, address)
        self.descriptor = descriptor
        family = group.family
    }
}

extension RTPSocketPair {
    /// Receivers of a group's RTP and RTCP; see `UDPSocket.init(receiving:)`.
    public static func receiving(
        _ group: SocketAddress, controlPort: UInt16, onInterfaceHaving address: SocketAddress? = nil,
        bufferByteCount: Int32 = 4 << 20
    ) throws(SystemError) -> RTPSocketPair {
        let rtp = try UDPSocket(receiving: group, onInterfaceHaving: address, bufferByteCount: bufferByteCount)
        let rtcp = try UDPSocket(
            receiving: group.with(port: controlPort), onInterfaceHaving: address, bufferByteCount: bufferByteCount)
        return RTPSocketPair(rtp: rtp, rtcp: rtcp, port: group.port)
    }
}
