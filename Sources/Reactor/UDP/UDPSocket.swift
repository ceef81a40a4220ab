import CLinux
import Glibc

/// How much of a batch of datagrams was sent.
public struct SentBatch: Equatable, Sendable {
    /// Messages sent, from the first on.
    public let count: Int
    /// Why the first message was not sent; `nil` where at least one was: what stopped a batch halfway shows when the
    /// rest is sent.
    public let error: SystemError?

    public init(count: Int, error: SystemError?) {
        (self.count, self.error) = (count, error)
    }

    /// Whether the socket's buffer was full.
    public var wouldBlock: Bool { error?.code == EAGAIN || error?.code == ENOBUFS }

    /// Whether the kernel or the route refuses segmentation (UDP_SEGMENT): plain datagrams may pass.
    public var refusesGSO: Bool { error?.code == EIO || error?.code == EINVAL || error?.code == EMSGSIZE }
}

/// An unconnected UDP socket that tells which of the host's addresses a datagram came to; it never blocks.
public struct UDPSocket: ~Copyable, Sendable {
    public let descriptor: Descriptor
    /// The form in which it takes addresses: an IPv6 socket bound to every address serves IPv4 too.
    public let family: AddressFamily

    /// The requested size of both buffers, in bytes: the keyframes of many viewers.
    public static let requestedBufferByteCount: Int32 = 4 << 20

    /// Binds at `address`; port 0 lets the kernel choose. At `::`, serves both families.
    ///
    /// - Parameter bufferByteCount: The size asked for of both buffers; `net.core.wmem_max` and `rmem_max` bound it.
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

    /// Binds at `port` on all addresses: both families by one socket, IPv4 alone where the host has no IPv6.
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

    /// The bytes that the kernel granted for sending, doubled for its bookkeeping: half of it may be less than was requested.
    public var sendBufferByteCount: Int { Int(descriptor.option(SOL_SOCKET, SO_SNDBUF) ?? 0) }

    /// Sends `messages` in order, until one fails; addresses are in the form that `family` takes.
    public func send(_ messages: UnsafeMutableBufferPointer<mmsghdr>) -> SentBatch {
        let count = uninterrupted {
            sendmmsg(fd, messages.baseAddress, UInt32(clamping: messages.count), clinux_dont_wait | clinux_no_signal)
        }
        return count < 0 ? SentBatch(count: 0, error: .last("sendmmsg")) : SentBatch(count: Int(count), error: nil)
    }

    /// Sends one datagram; answers why it could not.
    @discardableResult
    public func send(_ bytes: UnsafeRawBufferPointer, to address: SocketAddress) -> SystemError? {
        let count = address.withSockaddr(for: family) { sockaddr, byteCount in
            uninterrupted {
                sendto(fd, bytes.baseAddress, bytes.count, clinux_dont_wait | clinux_no_signal, sockaddr, byteCount)
            }
        }
        return count < 0 ? .last("sendto") : nil
    }

    /// Marks what it sends with a differentiated-services code point (RFC 2474), 0 to 63: 34 is AF41, video.
    public func setDifferentiatedServices(codePoint: UInt8) throws(SystemError) {
        try setForBothFamilies(IP_TOS, IPV6_TCLASS, Int32(codePoint & 0x3F) << 2)
    }
}
