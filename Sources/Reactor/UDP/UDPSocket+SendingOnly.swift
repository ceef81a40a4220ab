import CLinux
import Glibc

/// Sockets that send from the port of another socket and receive nothing.
///
/// The kernel charges the bytes of a datagram to the socket that sent it until the device has transmitted them. Several sockets for
/// one port keep the bytes that wait for a slow device apart from those for other devices.
extension UDPSocket {
    /// Makes a socket that sends from the port of `receiver`, with its differentiated-services code point.
    ///
    /// It is bound to an address of the loopback network that no client uses. The kernel gives a datagram to the socket with the
    /// most specific matching address, so that `receiver` still gets all datagrams. Each message must therefore name its source
    /// address (IP_PKTINFO). The port stays exclusive: `receiver` allows sharing (SO_REUSEADDR) only during this call.
    ///
    /// - Parameter bufferByteCount: The requested send buffer, which `net.core.wmem_max` bounds.
    public init(
        sendingFromPortOf receiver: borrowing UDPSocket, bufferByteCount: Int32
    ) throws(SystemError) {
        let family = receiver.family
        guard let port = receiver.localAddress?.port else {
            throw SystemError(call: "getsockname", code: EADDRNOTAVAIL)
        }
        let descriptor = try Descriptor(socket(family.domain, clinux_datagram, 0), from: "socket")
        // An IPv6 socket takes the address in its mapped form, and sends to both families.
        if family == .ipv6 { try descriptor.setOption(clinux_level_ipv6, IPV6_V6ONLY, 0) }
        try descriptor.setOption(SOL_SOCKET, SO_SNDBUF, bufferByteCount)
        // The kernel raises this to its minimum: no datagram is expected.
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

    /// 127.255.69.70: any address of the loopback network that is not 127.0.0.1.
    private static let unusedLoopbackAddress: UInt32 = 0x7FFF_4546

    /// The bytes that the socket has sent and a device has not, with the kernel's bookkeeping (SIOCOUTQ); 0 if the kernel does not tell.
    public var queuedByteCount: Int { Int(max(clinux_unacknowledged_bytes(fd), 0)) }

    /// The address of this host, with port 0, from which datagrams to `destination` leave; `nil` without a route.
    public static func sourceAddress(towards destination: SocketAddress) -> SocketAddress? {
        // Connecting a UDP socket sends nothing: it only looks up the route.
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
