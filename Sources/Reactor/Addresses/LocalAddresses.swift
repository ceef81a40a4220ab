import CLinux
import Glibc

/// The addresses at which other hosts can reach this host.
public enum LocalAddresses {
    /// Returns the addresses of the active interfaces, without loopback and link-local addresses; IPv4 first, with port 0.
    public static func all() throws(SystemError) -> [SocketAddress] {
        try interfaces()
            .filter { !$0.address.isLoopback && !$0.address.isLinkLocal }
            .map(\.address)
            .sorted { $0.family == .ipv4 && $1.family == .ipv6 }
    }

    /// Returns the index of the interface that has `address`; `nil` if there is none.
    static func interfaceIndex(of address: SocketAddress) throws(SystemError) -> UInt32? {
        let wanted = address.octets
        return try interfaces().first { $0.address.octets == wanted }?.index
    }

    private static func interfaces() throws(SystemError) -> [(address: SocketAddress, index: UInt32)] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { throw .last("getifaddrs") }
        defer { freeifaddrs(list) }
        var found: [(address: SocketAddress, index: UInt32)] = []
        var next = list
        while let entry = next {
            next = entry.pointee.ifa_next
            let isUp = entry.pointee.ifa_flags & UInt32(IFF_UP) != 0
            guard isUp, let raw = entry.pointee.ifa_addr, let address = address(at: raw) else { continue }
            found.append((address, if_nametoindex(entry.pointee.ifa_name)))
        }
        return found
    }

    /// Copies as many bytes as the family has, which is less than a whole `sockaddr_storage`.
    private static func address(at raw: UnsafePointer<sockaddr>) -> SocketAddress? {
        var storage = sockaddr_storage()
        let byteCount =
            switch Int32(raw.pointee.sa_family) {
            case AF_INET: MemoryLayout<sockaddr_in>.size
            case AF_INET6: MemoryLayout<sockaddr_in6>.size
            default: 0
            }
        let bytes = UnsafeRawBufferPointer(start: raw, count: byteCount)
        withUnsafeMutableBytes(of: &storage) { $0.copyMemory(from: bytes) }
        return SocketAddress(storage)
    }
}
