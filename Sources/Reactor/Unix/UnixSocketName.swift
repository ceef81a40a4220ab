import Glibc

extension sockaddr_un {
    /// Calls `body` with the address of the socket at `path`.
    ///
    /// - Throws: ENAMETOOLONG if the path is longer than the 107 bytes that Linux allows.
    static func with<Result>(
        path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) throws(SystemError) -> Result {
        let bytes = Array(path.utf8)
        // A path ends at its first zero byte, so that it must not contain one.
        guard !bytes.isEmpty, !bytes.contains(0) else { throw SystemError(call: "bind", code: ENAMETOOLONG) }
        return try with(name: bytes + [0], body)
    }

    /// Calls `body` with the address of a socket that has a path, or `@` and an abstract name without a file.
    ///
    /// - Throws: ENAMETOOLONG for a path or a name of more than 107 bytes.
    static func with<Result>(
        pathOrAbstractName name: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) throws(SystemError) -> Result {
        guard name.hasPrefix("@") else { return try with(path: name, body) }
        // An abstract name begins with a zero byte and ends with the address.
        return try with(name: [0] + Array(name.utf8.dropFirst()), body)
    }

    private static func with<Result>(
        name: [UInt8], _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) throws(SystemError) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard name.count <= capacity else { throw SystemError(call: "bind", code: ENAMETOOLONG) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let byteCount = MemoryLayout<sockaddr_un>.size - capacity + name.count
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(byteCount)) }
        }
    }
}
