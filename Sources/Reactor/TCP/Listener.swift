import CLinux
import Glibc

/// A connection that was accepted, and who made it.
@frozen public struct AcceptedConnection: ~Copyable {
    public let socket: TCPSocket
    public let peer: SocketAddress

    /// Gives up the socket to whoever serves it.
    public consuming func takeSocket() -> TCPSocket { socket }
}

/// A TCP socket that accepts connections.
///
/// Without SO_REUSEPORT: a second server on the port must fail, instead of taking a share of the viewers.
public struct Listener: ~Copyable, Sendable {
    public let descriptor: Descriptor

    /// Listens at `address`; port 0 lets the kernel choose.
    ///
    /// - Throws: `isAddressInUse` where the port is taken, `isPermissionDenied` where it is privileged.
    public init(at address: SocketAddress, backlog: Int32 = 512) throws(SystemError) {
        let descriptor = try Descriptor(socket(address.family.domain, clinux_stream, 0), from: "socket")
        // A restarted server binds although old connections are still in TIME_WAIT.
        try descriptor.setOption(SOL_SOCKET, SO_REUSEADDR, 1)
        if address.family == .ipv6 { try descriptor.setOption(clinux_level_ipv6, IPV6_V6ONLY, address.isAny ? 0 : 1) }
        try descriptor.bind(address, for: address.family)
        guard listen(descriptor.fd, backlog) == 0 else { throw .last("listen") }
        self.descriptor = descriptor
    }

    /// Listens at `port` on all addresses: IPv6 and IPv4 by one socket, IPv4 alone where the host has no IPv6.
    public static func onAllAddresses(port: UInt16, backlog: Int32 = 512) throws(SystemError) -> Listener {
        do {
            return try Listener(at: .any(.ipv6, port: port), backlog: backlog)
        } catch let error where error.code == EAFNOSUPPORT || error.code == EADDRNOTAVAIL {
            return try Listener(at: .any(.ipv4, port: port), backlog: backlog)
        }
    }

    public var fd: Int32 { descriptor.fd }

    /// The address and port that it has.
    public var localAddress: SocketAddress? { descriptor.localAddress }

    /// Closes it now; connections that wait unaccepted are reset.
    public consuming func close() {}

    /// The next connection; `nil` where none waits.
    ///
    /// - Throws: `isDescriptorExhaustion` where the process is out of descriptors. The connection then still waits and
    ///   the listener stays readable: the server stops watching it for a while.
    public func accept() throws(SystemError) -> AcceptedConnection? {
        while true {
            var storage = sockaddr_storage()
            let fd = acceptOne(&storage)
            if fd >= 0 {
                let socket = TCPSocket(adopting: Descriptor(adopting: fd))
                // A peer of another family than the listener's cannot be.
                let peer = SocketAddress(storage) ?? .any(.ipv4, port: 0)
                return AcceptedConnection(socket: socket, peer: peer)
            }
            if errno == EAGAIN { return nil }
            guard Self.concernsOnePeer(errno) else { throw .last("accept") }
        }
    }

    private func acceptOne(_ storage: inout sockaddr_storage) -> Int32 {
        var byteCount = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                accept4(descriptor.fd, $0, &byteCount, clinux_accept_flags)
            }
        }
    }

    /// accept(2): on Linux it also reports network errors that the new connection already has; the next may be well.
    private static func concernsOnePeer(_ code: Int32) -> Bool {
        [EINTR, ECONNABORTED, ENETDOWN, EPROTO, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH, EOPNOTSUPP, ENETUNREACH]
            .contains(code)
    }
}
