import Foundation

/// A blocking TCP connection to this host.
public final class LoopbackSocket {
    public struct Failure: Error {
        public let what: String
        public let errno: Int32
    }

    private let descriptor: Int32

    /// Connects to 127.0.0.1.
    public init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(what: "socket", errno: errno) }
        let connected = Self.withAddress(port: port) { connect(descriptor, $0, $1) }
        guard connected == 0 else {
            let reason = errno
            close(descriptor)
            throw Failure(what: "connect", errno: reason)
        }
    }

    deinit {
        close(descriptor)
    }

    /// A TCP port that was free a moment ago.
    public static func freePort() throws -> Int {
        let probe = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(probe) }
        guard withAddress(port: 0, { bind(probe, $0, $1) }) == 0 else { throw Failure(what: "bind", errno: errno) }
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let named = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(probe, $0, &length) }
        }
        guard named == 0 else { throw Failure(what: "getsockname", errno: errno) }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// Sends all bytes; a peer that has closed is no failure of the caller's.
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

    /// What has come, waiting up to `seconds` for something: `nil` when nothing came, empty when the peer has closed.
    public func receive(within seconds: Double) -> [UInt8]? {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard Foundation.poll(&poll, 1, Int32(max(0, seconds) * 1_000)) > 0 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return Array(buffer.prefix(max(0, count)))
    }

    private static func withAddress(
        port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
