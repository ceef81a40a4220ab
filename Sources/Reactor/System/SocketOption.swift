import CLinux
import Glibc

/// Socket options and addresses, used by all socket types of this module.
extension Descriptor {
    /// Sets an option with an `int` value.
    func setOption(_ level: Int32, _ name: Int32, _ value: Int32) throws(SystemError) {
        var value = value
        let status = setsockopt(fd, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
        guard status == 0 else { throw .last("setsockopt") }
    }

    /// Reads an option with an `int` value; `nil` if the kernel does not have it.
    func option(_ level: Int32, _ name: Int32) -> Int32? {
        var value: Int32 = 0
        var byteCount = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(fd, level, name, &value, &byteCount) == 0 ? value : nil
    }

    func bind(_ address: SocketAddress, for family: AddressFamily) throws(SystemError) {
        let status = address.withSockaddr(for: family) { Glibc.bind(fd, $0, $1) }
        guard status == 0 else { throw .last("bind") }
    }

    var localAddress: SocketAddress? { address(getsockname) }
    var peerAddress: SocketAddress? { address(getpeername) }

    private func address(
        _ call: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> SocketAddress? {
        var storage = sockaddr_storage()
        var byteCount = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(fd, $0, &byteCount) }
        }
        return status == 0 ? SocketAddress(storage) : nil
    }

    /// Reads and clears the error of a connection attempt or of an asynchronous failure; `nil` if there is none.
    func takePendingError(_ call: StaticString) -> SystemError? {
        guard let code = option(SOL_SOCKET, SO_ERROR), code != 0 else { return nil }
        return SystemError(call: call, code: code)
    }
}
