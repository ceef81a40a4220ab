import CLinux
import Glibc

/// An accepted connection and its peer.
@frozen public struct AcceptedConnection: ~Copyable {
    public let socket: TCPSocket
    public let peer: SocketAddress

    /// Passes on the ownership of the socket.
    public consuming func takeSocket() -> TCPSocket { socket }
}

/// A TCP socket that accepts connections.
///
/// It does not set SO_REUSEPORT: a second server on the port must fail instead of taking a part of the viewers.
public struct Listener: ~Copyable, Sendable {
    public let descriptor: Descriptor

    /// Listens at `address`; if the port is 0, the kernel chooses one.
    ///
    /// - Throws: `isAddressInUse` if the port is taken, `isPermissionDenied` if it is privileged.
    public init(at address: SocketAddress, backlog: Int32 = 512) throws(SystemError) {
        let descriptor = try Descriptor(socket(address.family.domain, clinux_stream, 0), from: "socket")
        // Lets a restarted server bind while old connections are in TIME_WAIT.
        try descriptor.setOption(SOL_SOCKET, SO_REUSEADDR, 1)
        if address.family == .ipv6 { try descriptor.setOption(clinux_level_ipv6, IPV6_V6ONLY, address.isAny ? 0 : 1) }
        try descriptor.bind(address, for: address.family)
        guard listen(descriptor.fd, backlog) == 0 else { throw .last("listen") }
        self.descriptor = descriptor
    }

    /// Listens at `port` on all addresses: one socket for IPv6 and IPv4, or IPv4 alone if the host has no IPv6.
    public static func onAllAddresses(port: UInt16, backlog: Int32 = 512) throws(SystemError) -> Listener {
        do {
            return try Listener(at: .any(.ipv6, port: port), backlog: backlog)
        } catch let error where error.code == EAFNOSUPPORT || error.code == EADDRNOTAVAIL {
            return try Listener(at: .any(.ipv4, port: port), backlog: backlog)
        }
    }

    public var fd: Int32 { descriptor.fd }

    /// The local address and port.
    public var localAddress: SocketAddress? { descriptor.localAddress }

    /// Passes on the ownership of the descriptor.
    public consuming func takeDescriptor() -> Descriptor { descriptor }

    /// Closes the listener now; pending connections are reset.
    public consuming func close() {}

    /// Accepts the next connection; returns `nil` if none is pending.
    ///
    /// - Throws: `isDescriptorExhaustion` if the process is out of descriptors. The connection stays pending and the listener
    ///   stays readable; the server must stop watching the listener for a while.
    public func accept() throws(SystemError) -> AcceptedConnection? {
        while true {
            var storage = sockaddr_storage()
            let fd = acceptOne(&storage)
            if fd >= 0 {
                let socket = TCPSocket(adopting: Descriptor(adopting: fd))
                // The peer always has the listener's address family, so that the default is never used.
                let peer = SocketAddress(storage) ?? .any(.ipv4, port: 0)
                return AcceptedConnection(socket: socket, peer: peer)
            }
            if errno == EAGAIN { return nil }
            guard Self.concernsOneConnection(errno) else { throw .last("accept") }
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

    /// Whether the error concerns only the new connection (accept(2): Linux reports its pending network errors), so that the next
    /// one may succeed.
    private static func concernsOneConnection(_ code: Int32) -> Bool {
        [EINTR, ECONNABORTED, ENETDOWN, EPROTO, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH, EOPNOTSUPP, ENETUNREACH]
            .contains(code)
    }
}
