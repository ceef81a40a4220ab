import Foundation
import Synchronization

/// A TCP server whose connections a test's script handles, each on a thread of its own.
public final class SocketServer: Sendable {
    public let port: Int
    private let listener: Int32
    private let isStopped = Atomic(false)
    private let accepted = Atomic(0)

    /// - Parameters:
    ///   - bufferByteCount: the size of the kernel's buffer for each connection; `nil` for the kernel's choice. A script that reads nothing
    ///     holds up its client after so little data.
    ///   - script: called with each connection, which is closed once nothing refers to it.
    public init(bufferByteCount: Int32? = 16_384, _ script: @escaping @Sendable (LoopbackSocket) -> Void) throws {
        let descriptor = socket(AF_INET, LoopbackSocket.streamType, 0)
        if var byteCount = bufferByteCount {
            // Connections inherit it.
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &byteCount, socklen_t(MemoryLayout<Int32>.size))
        }
        guard let port = Self.listen(descriptor) else {
            close(descriptor)
            throw LoopbackSocket.Failure(what: "listen", errno: errno)
        }
        (listener, self.port) = (descriptor, port)
        Thread.detachNewThread { [self] in serve(script) }
    }

    private static func listen(_ descriptor: Int32) -> Int? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listens = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && Foundation.listen(descriptor, 8) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        return listens ? Int(UInt16(bigEndian: address.sin_port)) : nil
    }

    /// The number of connections so far.
    public var connectionCount: Int { accepted.load(ordering: .relaxed) }

    /// Accepts no more connections. Scripts end when their clients close.
    public func stop() {
        // The thread closes the socket when it sees the flag, so shutdown comes first.
        _ = shutdown(listener, Int32(SHUT_RDWR))
        isStopped.store(true, ordering: .releasing)
    }

    private func serve(_ script: @escaping @Sendable (LoopbackSocket) -> Void) {
        defer { close(listener) }
        while !isStopped.load(ordering: .acquiring) {
            let descriptor = LoopbackSocket.accepted(by: listener)
            guard descriptor >= 0 else { continue }
            accepted.add(1, ordering: .relaxed)
            let socket = LoopbackSocket(adopting: descriptor)
            Thread.detachNewThread { script(socket) }
        }
    }
}
