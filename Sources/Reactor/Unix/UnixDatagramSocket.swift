import CLinux
import Glibc

/// Sends datagrams to another process on this host, through a socket in the file system or one with an abstract name (unix(7)).
public struct UnixDatagramSocket: ~Copyable, Sendable {
    /// Milliseconds to wait if the receiver's queue is full.
    private static let patience: Int32 = 1_000

    private let descriptor: Descriptor

    /// Connects to the receiver at `name`: a path, or `@` and an abstract name.
    ///
    /// - Throws: ENOENT if the path does not exist, ECONNREFUSED if no process receives there, ENAMETOOLONG if the name is too
    ///   long for the kernel.
    public init(connectingTo name: String) throws(SystemError) {
        let descriptor = try Descriptor(socket(AF_UNIX, clinux_datagram, 0), from: "socket")
        let failure = try sockaddr_un.with(pathOrAbstractName: name) { address, byteCount in
            connect(descriptor.fd, address, byteCount) == 0 ? nil : SystemError.last("connect")
        }
        if let failure { throw failure }
        self.descriptor = descriptor
    }

    /// Sends `text` as one datagram. If the receiver's queue is full, blocks for at most one second.
    ///
    /// - Throws: EAGAIN if the queue stayed full, ECONNREFUSED if the receiver has gone.
    public func send(_ text: String) throws(SystemError) {
        let bytes = Array(text.utf8)
        var sent = uninterrupted { Glibc.send(descriptor.fd, bytes, bytes.count, clinux_no_signal) }
        if sent < 0, errno == EAGAIN {
            var room = pollfd(fd: descriptor.fd, events: Int16(POLLOUT), revents: 0)
            _ = uninterrupted { poll(&room, 1, Self.patience) }
            sent = uninterrupted { Glibc.send(descriptor.fd, bytes, bytes.count, clinux_no_signal) }
        }
        if sent < 0 { throw .last("send") }
    }
}
