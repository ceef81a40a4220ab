import Glibc
import Testing

/// systemd's end of the notification socket, with an abstract name of its own.
public final class NotifySocket: Sendable {
    /// The name as in NOTIFY_SOCKET.
    public let name: String
    private let fd: Int32

    public init() throws {
        let abstractName = "apus-test-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        name = "@" + abstractName
        fd = socket(AF_UNIX, LoopbackSocket.datagramType, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = [0] + Array(abstractName.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let byteCount = socklen_t(MemoryLayout.offset(of: \sockaddr_un.sun_path)! + bytes.count)
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(fd, $0, byteCount) }
        }
        try #require(status == 0)
    }

    /// Returns the lines of the next datagram; `nil` if none comes within two seconds.
    public func next() -> [String]? {
        var wanted = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
        guard poll(&wanted, 1, 2_000) == 1 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = recv(fd, &bytes, bytes.count, 0)
        return count < 0
            ? nil : String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Whether another datagram is pending.
    public var hasMore: Bool {
        var wanted = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
        return poll(&wanted, 1, 0) == 1
    }

    deinit { close(fd) }
}
