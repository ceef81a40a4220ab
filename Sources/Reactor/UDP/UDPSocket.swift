import CLinux
import Glibc

/// The result of sending a batch of datagrams.
public struct SentBatch: Equatable, Sendable {
    /// The number of messages sent, from the first on.
    public let count: Int
    /// The reason why the first message was not sent; `nil` if at least one was. If the batch stopped halfway, the reason appears
    /// when the caller sends the rest.
    public let error: SystemError?

    public init(count: Int, error: SystemError?) {
        (self.count, self.error) = (count, error)
    }

    /// Whether the socket's send buffer was full.
    public var wouldBlock: Bool { error?.code == EAGAIN || error?.code == ENOBUFS }

    /// Whether the kernel or the route refuses GSO (UDP_SEGMENT); plain datagrams may still pass.
    public var refusesGSO: Bool { error?.code == EIO || error?.code == EINVAL || error?.code == EMSGSIZE }
}

/// An unconnected UDP socket that reports the local address to which each datagram was sent. It never blocks.
public struct UDPSocket: ~Copyable, Sendable {
    public let descriptor: Descriptor
    /// The form of its addresses: an IPv6 socket bound to the unspecified address also serves IPv4.
    public let family: AddressFamily

    /// The requested size of both buffers, in bytes, for the keyframes of many viewers.
    public static let requestedBufferByteCount: Int32 = 4 << 20

    /// Binds to `address`; if the port is 0, the kernel chooses one. A socket at `::` serves both families.
    ///
    /// - Parameter bufferByteCount: The requested size of both buffers, limited by `net.core.wmem_max` and `rmem_max`.
    public init(at address: SocketAddress, bufferByteCount: Int32 = requestedBufferByteCount) throws(SystemError) {
        let family = address.family
        let descriptor = try Descriptor(socket(family.domain, clinux_datagram, 0), from: "socket")
        if family == .ipv6 { try descriptor.setOption(clinux_level_ipv6, IPV6_V6ONLY, address.isAny ? 0 : 1) }
        try descriptor.setOption(SOL_SOCKET, SO_SNDBUF, bufferByteCount)
        try descriptor.setOption(SOL_SOCKET, SO_RCVBUF, bufferByteCount)
        guard clinux_tell_destinations(descriptor.fd, family.domain) == 0 else { throw .last("setsockopt") }
        try descriptor.bind(address, for: family)
        self.descriptor = descriptor
        self.family = family
    }

    /// Another descriptor of the same socket.
    init(sharing other: borrowing UDPSocket) throws(SystemError) {
        descriptor = try Descriptor(fcntl(other.fd, F_DUPFD_CLOEXEC, 0), from: "fcntl")
        family = other.family
    }

    /// Binds to `port` on all addresses: one socket for both families, or IPv4 alone if the host has no IPv6.
    public static func onAllAddresses(port: UInt16, bufferByteCount: Int32 = requestedBufferByteCount)
        throws(SystemError) -> UDPSocket
    {
        do {
            return try UDPSocket(at: .any(.ipv6, port: port), bufferByteCount: bufferByteCount)
        } catch let error where error.code == EAFNOSUPPORT || error.code == EADDRNOTAVAIL {
            return try UDPSocket(at: .any(.ipv4, port: port), bufferByteCount: bufferByteCount)
        }
    }

    public var fd: Int32 { descriptor.fd }
    public var localAddress: SocketAddress? { descriptor.localAddress }

    /// The granted send buffer in bytes, doubled for the kernel's bookkeeping; half of it may be less than was requested.
    public var sendBufferByteCount: Int { Int(descriptor.option(SOL_SOCKET, SO_SNDBUF) ?? 0) }

    /// Sends `messages` in order until one fails; their addresses must have the form of `family`.
    public func send(_ messages: UnsafeMutableBufferPointer<mmsghdr>) -> SentBatch {
        let count = uninterrupted {
            sendmmsg(fd, messages.baseAddress, UInt32(clamping: messages.count), clinux_dont_wait | clinux_no_signal)
        }
        return count < 0 ? SentBatch(count: 0, error: .last("sendmmsg")) : SentBatch(count: Int(count), error: nil)
    }

    /// Sends one datagram; returns an error if that failed.
    @discardableResult
    public func send(_ bytes: UnsafeRawBufferPointer, to address: SocketAddress) -> SystemError? {
        let count = address.withSockaddr(for: family) { sockaddr, byteCount in
            uninterrupted {
                sendto(fd, bytes.baseAddress, bytes.count, clinux_dont_wait | clinux_no_signal, sockaddr, byteCount)
            }
        }
        return count < 0 ? .last("sendto") : nil
    }

    /// Marks outgoing datagrams with a differentiated-services code point (RFC 2474), 0 to 63; 34 is AF41, for video.
    public func setDifferentiatedServices(codePoint: UInt8) throws(SystemError) {
        try setForBothFamilies(IP_TOS, IPV6_TCLASS, Int32(codePoint & 0x3F) << 2)
    }
}

/// Options for clients that receive media.
extension UDPSocket {
    /// Makes the kernel record the arrival time of each datagram (SO_TIMESTAMPNS).
    public func enableArrivalTimes() throws(SystemError) {
        guard clinux_tell_arrivals(fd) == 0 else { throw .last("setsockopt") }
    }

    /// Sets whether the kernel may coalesce packets of equal size into one datagram (UDP_GRO).
    public func setGRO(whole isWhole: Bool) throws(SystemError) {
        try descriptor.setOption(clinux_level_udp, clinux_receive_trains, isWhole ? 1 : 0)
    }

    /// Blocks until there is a datagram to receive, or for `milliseconds`; returns false if none came.
    public func waitToReceive(milliseconds: Int32) -> Bool { descriptor.waitToRead(milliseconds: milliseconds) }

    /// Creates a receiver of `group` at its port, which other receivers on this host may share (SO_REUSEADDR). It receives only
    /// datagrams that are sent to the group.
    ///
    /// - Parameters:
    ///   - sources: The hosts whose datagrams are received (RFC 4607); all if there are none.
    ///   - address: The address of the receiving interface; by default the interface of the route.
    public init(
        receiving group: SocketAddress, from sources: [SocketAddress] = [],
        onInterfaceHaving address: SocketAddress? = nil, bufferByteCount: Int32 = 4 << 20
    ) throws(SystemError) {
        let descriptor = try Descriptor(socket(group.family.domain, clinux_datagram, 0), from: "socket")
        try descriptor.setOption(SOL_SOCKET, SO_REUSEADDR, 1)
        try descriptor.setOption(SOL_SOCKET, SO_RCVBUF, bufferByteCount)
        try descriptor.bind(group, for: group.family)
        if sources.isEmpty { try descriptor.changeMembership(MCAST_JOIN_GROUP, of: group, address) }
        for source in sources { try descriptor.join(group, from: source, address) }
        self.descriptor = descriptor
        family = group.family
    }
}
