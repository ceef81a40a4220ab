import CLinux
import Glibc

/// Sockets that send from the port of another socket and receive nothing.
///
/// The kernel charges the bytes of a datagram to the sending socket until the device has transmitted them. With several sockets
/// for one port, bytes that wait for a slow device do not block the datagrams for other devices.
extension UDPSocket {
    /// Creates a socket that sends from the port of `receiver`, with its differentiated-services code point.
    ///
    /// The socket is bound to a loopback address that no client uses. The kernel passes a datagram to the socket with the most
    /// specific matching address, so that `receiver` still gets all datagrams. Therefore each message must name its source
    /// address (IP_PKTINFO). The port stays exclusive: `receiver` allows sharing (SO_REUSEADDR) only during this call.
    ///
    /// - Parameter bufferByteCount: The requested send buffer, limited by `net.core.wmem_max`.
    public init(
        sendingFromPortOf receiver: borrowing UDPSocket, bufferByteCount: Int32
    ) throws(SystemError) {
        let family = receiver.family
        guard let port = receiver.localAddress?.port else {
            throw SystemError(call: "getsockname", code: EADDRNOTAVAIL)
        }
        let descriptor = try Descriptor(socket(family.domain, clinux_datagram, 0), from: "socket")
        // An IPv6 socket takes the address in its mapped form and sends to both families.
        if family == .ipv6 { try descriptor.setOption(clinux_level_ipv6, IPV6_V6ONLY, 0) }
        try descriptor.setOption(SOL_SOCKET, SO_SNDBUF, bufferByteCount)
        // The kernel raises this to its minimum. No datagram is expected.
        try descriptor.setOption(SOL_SOCKET, SO_RCVBUF, 0)
        try descriptor.copyTrafficClass(of: receiver.descriptor, for: family)
        try descriptor.setOption(SOL_SOCKET, SO_REUSEADDR, 1)
        try receiver.descriptor.setOption(SOL_SOCKET, SO_REUSEADDR, 1)
        do throws(SystemError) {
            try descriptor.bind(SocketAddress(ipv4: Self.unusedLoopbackAddress, port: port), for: family)
        } catch {
            try receiver.descriptor.setOption(SOL_SOCKET, SO_REUSEADDR, 0)
            throw error
        }
        try receiver.descriptor.setOption(SOL_SOCKET, SO_REUSEADDR, 0)
        self.descriptor = descriptor
        self.family = family
    }

    /// 127.255.69.70, an arbitrary loopback address other than 127.0.0.1.
    private static let unusedLoopbackAddress: UInt32 = 0x7FFF_4546

    /// Bytes that wait for transmission, with the kernel's bookkeeping (SIOCOUTQ); 0 if the kernel does not report them.
    public var queuedByteCount: Int { Int(max(clinux_unacknowledged_bytes(fd), 0)) }

    /// The source address, with port 0, of datagrams to `destination`; `nil` without a route.
    public static func sourceAddress(towards destination: SocketAddress) -> SocketAddress? {
        // Connecting a UDP socket sends nothing. It only looks up the route.
        guard let probe = try? Descriptor(socket(destination.family.domain, clinux_datagram, 0), from: "socket") else {
            return nil
        }
        let status = destination.withSockaddr(for: destination.family) { connect(probe.fd, $0, $1) }
        return status == 0 ? probe.localAddress?.with(port: 0) : nil
    }
}

extension Descriptor {
    fileprivate func copyTrafficClass(of other: borrowing Descriptor, for family: AddressFamily) throws(SystemError) {
        if let value = other.option(clinux_level_ip, IP_TOS) { try setOption(clinux_level_ip, IP_TOS, value) }
        guard family == .ipv6, let value = other.option(clinux_level_ipv6, IPV6_TCLASS) else { return }
        try setOption(clinux_level_ipv6, IPV6_TCLASS, value)
    }
}
