import Foundation

/// A bidirectional byte stream.
public protocol ByteStream: AnyObject {
    /// Sends all bytes; ignores a peer that has closed.
    func send(_ bytes: [UInt8])
    /// Sends until the peer accepts nothing for `seconds`; returns the number of bytes sent.
    func offer(_ bytes: [UInt8], patience seconds: Double) -> Int
    /// Receives bytes, waiting up to `seconds`; returns `nil` if none came and an empty array if the peer has closed.
    func receive(within seconds: Double) -> [UInt8]?
}

/// A blocking TCP connection to this host.
public final class LoopbackSocket: ByteStream, Sendable {
    public struct Failure: Error {
        public let what: String
        public let errno: Int32
    }

    private let descriptor: Int32

    /// The types of sockets that no program inherits which another test starts meanwhile; such a program would keep the connection
    /// open. SOCK_CLOEXEC is O_CLOEXEC.
    public static let (streamType, datagramType) = (
        Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC
    )

    /// Waits for the next connection, which no program inherits; negative at the end.
    static func accepted(by listener: Int32) -> Int32 {
        let descriptor = accept(listener, nil, nil)
        // Glibc's accept4 is not visible to Swift.
        if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        return descriptor
    }

    /// Connects to 127.0.0.1.
    ///
    /// - Parameters:
    ///   - source: The local address; all addresses that begin with 127 are local.
    ///   - bufferByteCount: The size of the kernel's buffers in each direction; by default the kernel's choice.
    ///   - isDatagram: Whether it sends and receives UDP datagrams.
    public init(
        port: Int, from source: String? = nil, bufferByteCount: Int32? = nil, isDatagram: Bool = false
    ) throws {
        descriptor = socket(AF_INET, isDatagram ? Self.datagramType : Self.streamType, 0)
        guard descriptor >= 0 else { throw Failure(what: "socket", errno: errno) }
        if let bufferByteCount {
            set(SO_RCVBUF, bufferByteCount)
            set(SO_SNDBUF, bufferByteCount)
        }
        let isBound = source.map { Self.withAddress($0, port: 0) { bind(descriptor, $0, $1) } == 0 } ?? true
        guard isBound, Self.withAddress(port: port, { connect(descriptor, $0, $1) }) == 0 else {
            // All properties are initialized, so `deinit` closes the socket. A second close could close another test's descriptor.
            throw Failure(what: isBound ? "connect" : "bind", errno: errno)
        }
    }

    /// Takes a connection that a server has accepted.
    init(adopting descriptor: Int32) { self.descriptor = descriptor }

    /// Sets whether the kernel drops all packets that arrive, as a path that carries nothing does: nothing is acknowledged.
    public func dropArrivals(_ isDropping: Bool) {
        guard isDropping else {
            set(SO_DETACH_FILTER, 0)
            return
        }
        // A program of the Berkeley Packet Filter with one instruction, BPF_RET: nothing of the packet is kept (`struct sock_filter`).
        var program: (code: UInt16, ifTrue: UInt8, ifFalse: UInt8, operand: UInt32) = (0x06, 0, 0, 0)
        withUnsafeMutableBytes(of: &program) { instruction in
            // `struct sock_fprog`.
            var filter: (count: UInt16, instructions: UnsafeMutableRawPointer?) = (1, instruction.baseAddress)
            let byteCount = socklen_t(MemoryLayout.size(ofValue: filter))
            _ = setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &filter, byteCount)
        }
    }

    /// Tells the peer that nothing more is sent.
    public func endSending() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    /// The port of this end.
    public var localPort: Int {
        var address = sockaddr_in()
        var byteCount = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &byteCount) }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    private func set(_ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, SOL_SOCKET, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit {
        close(descriptor)
    }

    /// Returns a TCP port that is free on all local addresses. It is outside the ephemeral range, whose ports the kernel may
    /// give to any connection and keeps in TIME_WAIT for a minute.
    public static func freePort() throws -> Int {
        for _ in 0..<100 {
            let port = Int.random(in: 10_000..<30_000)
            let probe = socket(AF_INET, Self.streamType, 0)
            defer { close(probe) }
            if withAddress("0.0.0.0", port: port, { bind(probe, $0, $1) }) == 0 { return port }
        }
        throw Failure(what: "bind", errno: errno)
    }

    /// Sends a UDP datagram to this host, from a port that the kernel chooses.
    public static func send(datagram bytes: [UInt8], toPort port: Int) {
        let descriptor = socket(AF_INET, Self.datagramType, 0)
        defer { close(descriptor) }
        _ = bytes.withUnsafeBytes { bytes in
            withAddress(port: port) {
                Int32(truncatingIfNeeded: sendto(descriptor, bytes.baseAddress, bytes.count, 0, $0, $1))
            }
        }
    }

    public func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Foundation.send(
                    descriptor, $0.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    public func offer(_ bytes: [UInt8], patience seconds: Double) -> Int {
        var sent = 0
        var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while sent < bytes.count, Foundation.poll(&poll, 1, Int32(seconds * 1_000)) > 0 {
            let count = bytes.withUnsafeBytes {
                let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
                return Foundation.send(descriptor, $0.baseAddress?.advanced(by: sent), bytes.count - sent, flags)
            }
            guard count > 0 else { return sent }
            sent += count
        }
        return sent
    }

    public func receive(within seconds: Double) -> [UInt8]? {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard Foundation.poll(&poll, 1, Int32(max(0, seconds) * 1_000)) > 0 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return Array(buffer.prefix(max(0, count)))
    }

    private static func withAddress(
        _ host: String = "127.0.0.1", port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = inet_addr(host)
        return withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
