import CLinux
import Glibc

extension SocketAddress {
    /// Resolves `host`, a name or a numeric address as in a URL. Returns the addresses in the order in which to try them; blocks
    /// during the lookup.
    public static func lookUp(_ host: String, port: UInt16) -> [SocketAddress] {
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        if let literal = SocketAddress(bare, port: port) { return [literal] }
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(bare, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        return sequence(first: list, next: { $0?.pointee.ai_next }).compactMap { entry in
            guard let entry else { return nil }
            return address(of: entry.pointee)?.with(port: port)
        }
    }

    private static func address(of entry: addrinfo) -> SocketAddress? {
        guard let address = entry.ai_addr else { return nil }
        var storage = sockaddr_storage()
        let byteCount = min(Int(entry.ai_addrlen), MemoryLayout<sockaddr_storage>.size)
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: byteCount))
        }
        return SocketAddress(storage)
    }
}
