import CLinux
import Glibc

/// The Internet Protocol versions.
public enum AddressFamily: Sendable, Hashable {
    case ipv4
    case ipv6

    var domain: Int32 { self == .ipv4 ? AF_INET : AF_INET6 }
}

/// An IPv4 or IPv6 address and a port.
///
/// If a dual-stack socket reports an IPv4 address as `::ffff:a.b.c.d` (RFC 4291, 2.5.5.2), it becomes an IPv4 address, so that
/// one host has one value.
public struct SocketAddress: Hashable, Sendable {
    public let family: AddressFamily
    public var port: UInt16
    /// The interface of a link-local IPv6 address; otherwise 0.
    public let scope: UInt32
    /// The address in host order: all 128 bits of IPv6, the low 32 of IPv4.
    private let bits: UInt128

    private init(family: AddressFamily, bits: UInt128, port: UInt16, scope: UInt32) {
        let isMapped = family == .ipv6 && bits >> 32 == 0xFFFF
        self.family = isMapped ? .ipv4 : family
        self.bits = isMapped ? bits & 0xFFFF_FFFF : bits
        self.port = port
        self.scope = isMapped ? 0 : scope
    }

    /// Creates the IPv4 address `a.b.c.d` from one number in host order.
    public init(ipv4 bits: UInt32, port: UInt16) {
        self.init(family: .ipv4, bits: UInt128(bits), port: port, scope: 0)
    }

    /// Creates an IPv6 address from one number in host order.
    public init(ipv6 bits: UInt128, port: UInt16, scope: UInt32 = 0) {
        self.init(family: .ipv6, bits: bits, port: port, scope: scope)
    }

    /// Reads an address that the kernel wrote; returns `nil` unless it is IPv4 or IPv6.
    public init?(_ storage: sockaddr_storage) {
        var storage = storage
        self.init(reading: &storage)
    }

    /// Reads an address that the kernel wrote to `storage`; returns `nil` unless it is IPv4 or IPv6.
    init?(reading storage: UnsafePointer<sockaddr_storage>) {
        let raw = UnsafeRawPointer(storage)
        switch Int32(storage.pointee.ss_family) {
        case AF_INET:
            let address = raw.load(as: sockaddr_in.self)
            self.init(ipv4: UInt32(bigEndian: address.sin_addr.s_addr), port: UInt16(bigEndian: address.sin_port))
        case AF_INET6:
            let address = raw.load(as: sockaddr_in6.self)
            let bits = withUnsafeBytes(of: address.sin6_addr) { $0.load(as: UInt128.self) }
            self.init(
                ipv6: UInt128(bigEndian: bits), port: UInt16(bigEndian: address.sin6_port),
                scope: address.sin6_scope_id)
        default:
            return nil
        }
    }

    /// The unspecified address, which stands for all local addresses of `family`.
    public static func any(_ family: AddressFamily, port: UInt16) -> SocketAddress {
        SocketAddress(family: family, bits: 0, port: port, scope: 0)
    }

    /// `127.0.0.1` or `::1`.
    public static func loopback(_ family: AddressFamily, port: UInt16) -> SocketAddress {
        SocketAddress(family: family, bits: family == .ipv4 ? 0x7F00_0001 : 1, port: port, scope: 0)
    }

    /// The same host at another port.
    public func with(port: UInt16) -> SocketAddress {
        var copy = self
        copy.port = port
        return copy
    }

    /// The IPv6 network (/64) of the address, as its first address with port 0; `nil` for IPv4.
    public var ipv6Network: SocketAddress? {
        family == .ipv6 ? SocketAddress(ipv6: (bits >> 64) << 64, port: 0, scope: scope) : nil
    }

    public var isLoopback: Bool { family == .ipv4 ? bits >> 24 == 127 : bits == 1 }
    public var isMulticast: Bool { family == .ipv4 ? bits >> 28 == 0xE : bits >> 120 == 0xFF }
    /// Whether it is the unspecified address, which stands for all local addresses.
    public var isAny: Bool { bits == 0 }
    /// Whether it is link-local (`fe80::/10`, `169.254.0.0/16`).
    public var isLinkLocal: Bool { family == .ipv4 ? bits >> 16 == 0xA9FE : bits >> 118 == 0x3FA }
}

extension SocketAddress {
    /// Writes the address for a socket of `family`; an IPv6 socket takes an IPv4 address in its mapped form. Returns the bytes
    /// written.
    ///
    /// - Precondition: An IPv6 address needs an IPv6 socket.
    @discardableResult
    public func write(to storage: UnsafeMutablePointer<sockaddr_storage>, for family: AddressFamily) -> socklen_t {
        let raw = UnsafeMutableRawPointer(storage)
        if family == .ipv4 {
            precondition(self.family == .ipv4, "an IPv4 socket cannot reach an IPv6 address")
            raw.storeBytes(of: ipv4, as: sockaddr_in.self)
            return socklen_t(MemoryLayout<sockaddr_in>.size)
        }
        raw.storeBytes(of: ipv6, as: sockaddr_in6.self)
        return socklen_t(MemoryLayout<sockaddr_in6>.size)
    }

    /// Calls `body` with the address as a `sockaddr` for a socket of `family` (by default the address's own family).
    public func withSockaddr<Result>(
        for family: AddressFamily? = nil, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var storage = sockaddr_storage()
        let byteCount = write(to: &storage, for: family ?? self.family)
        return withUnsafePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, byteCount) }
        }
    }

    private var ipv4: sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr = ipv4Address
        return address
    }

    private var ipv6: sockaddr_in6 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_addr = ipv6Address
        address.sin6_scope_id = scope
        return address
    }

    var ipv4Address: in_addr { in_addr(s_addr: UInt32(truncatingIfNeeded: bits).bigEndian) }

    /// The address for an IPv6 socket: in the mapped form if it is IPv4 and not the unspecified address.
    var ipv6Address: in6_addr {
        let mapped = family == .ipv4 && !isAny ? bits | 0xFFFF << 32 : bits
        var address = in6_addr()
        withUnsafeMutableBytes(of: &address) { $0.storeBytes(of: mapped.bigEndian, as: UInt128.self) }
        return address
    }
}
