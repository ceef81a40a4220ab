import CLinux
import Glibc
import Testing

@testable import Reactor

@Suite struct TCPSocketTests {
    @Test func bytesArriveAndThenTheEnd() throws {
        let pair = try connectedPair()
        #expect(pair.server.readBytes().outcome == .wouldBlock)
        #expect(pair.client.write("hello") == .wrote(5))
        #expect(waitUntil(pair.server.fd, POLLIN))
        #expect(pair.server.readBytes().bytes == Array("hello".utf8))
        pair.client.endWriting()
        #expect(waitUntil(pair.server.fd, POLLIN))
        #expect(pair.server.readBytes().outcome == .end)
        #expect(pair.server.write("back") == .wrote(4))
        #expect(waitUntil(pair.client.fd, POLLIN))
        #expect(pair.client.readBytes().bytes == Array("back".utf8))
    }

    @Test func aWriteBeyondTheBufferIsPartialAndLosesNothing() throws {
        let pair = try connectedPair()
        try pair.client.setSendBuffer(bytes: 16_384)
        let first = [UInt8](repeating: 1, count: 300_001)
        let second = [UInt8](repeating: 2, count: 500_000)
        let whole = first + second
        var sent = 0
        var received: [UInt8] = []
        var wasPartial = false
        var wasFull = false
        while sent < whole.count {
            switch pair.client.write(first, second, from: sent) {
            case .wrote(let count):
                wasPartial = wasPartial || sent + count < whole.count
                sent += count
            case .wouldBlock:
                wasFull = true
                received += drain(pair.server)
            case .failed(let error): throw error
            }
        }
        while received.count < whole.count, waitUntil(pair.server.fd, POLLIN) { received += drain(pair.server) }
        #expect(wasPartial && wasFull)
        #expect(received == whole)
    }

    @Test func unsentBytesAreCounted() throws {
        let pair = try connectedPair()
        #expect(pair.client.unsentByteCount == 0)
        let bytes = [UInt8](repeating: 0, count: 1 << 20)
        var written = 0
        while case .wrote(let count) = bytes.withUnsafeBytes({ pair.client.write($0) }) { written += count }
        #expect(pair.client.unsentByteCount > 0)
        #expect(pair.client.unsentByteCount <= pair.client.unacknowledgedByteCount)
        #expect(pair.client.unacknowledgedByteCount <= written)
    }

    @Test func theLimitOnUnsentBytesEndsWritability() throws {
        let pair = try connectedPair()
        try pair.client.limitUnsent(toBytes: 16_384)
        let bytes = [UInt8](repeating: 0, count: 8_192)
        var written = 0
        var descriptor = pollfd(fd: pair.client.fd, events: Int16(POLLOUT), revents: 0)
        while poll(&descriptor, 1, 0) == 1, case .wrote(let count) = bytes.withUnsafeBytes({ pair.client.write($0) }) {
            written += count
        }
        #expect(pair.client.unsentByteCount < 16_384 + bytes.count)
        #expect(written > 0)
    }

    @Test func writingToAClosedPeerFailsWithoutASignal() throws {
        let pair = try connectedPair()
        let client = pair.client
        pair.server.closeWithReset()
        #expect(waitUntil(client.fd, POLLIN))
        #expect(client.readBytes().outcome == .failed(SystemError(call: "recv", code: ECONNRESET)))
        #expect(client.write("x") == .failed(SystemError(call: "send", code: EPIPE)))
    }

    @Test func aRefusedConnectionReportsItsError() throws {
        let closed = try Listener(at: .loopback(.ipv4, port: 0))
        let bound = closed.localAddress
        let address = try #require(bound)
        closed.close()
        let socket = try TCPSocket(connectingTo: address)
        #expect(waitUntil(socket.fd, POLLOUT))
        #expect(socket.connectionFailure() == SystemError(call: "connect", code: ECONNREFUSED))
        #expect(socket.connectionFailure() == nil)
        #expect(socket.peerAddress == nil)
    }

    @Test func optionsAreAccepted() throws {
        let pair = try connectedPair(.ipv6)
        try pair.server.sendWithoutDelay()
        try pair.server.setUserTimeout(milliseconds: 5_000)
        // Every Linux kernel has reno.
        try pair.server.setCongestionControl("reno")
        #expect(pair.server.descriptor.option(clinux_level_tcp, TCP_NODELAY) == 1)
        #expect(pair.server.descriptor.option(clinux_level_tcp, TCP_USER_TIMEOUT) == 5_000)
        let error = failure { () throws(SystemError) in try pair.server.setCongestionControl("nosuch") }
        #expect(error == SystemError(call: "setsockopt", code: ENOENT))
    }

    @Test func socketsAreNonBlockingAndCloseOnExec() throws {
        let pair = try connectedPair()
        let number = pair.client.fd
        #expect(fcntl(number, F_GETFD) & FD_CLOEXEC != 0)
        #expect(fcntl(number, F_GETFL) & O_NONBLOCK != 0)
        #expect(fcntl(pair.server.fd, F_GETFD) & FD_CLOEXEC != 0)
        #expect(fcntl(pair.server.fd, F_GETFL) & O_NONBLOCK != 0)
    }

    private func drain(_ socket: borrowing TCPSocket) -> [UInt8] {
        var all: [UInt8] = []
        while case .bytes = appendOnce(socket, &all) {}
        return all
    }

    private func appendOnce(_ socket: borrowing TCPSocket, _ all: inout [UInt8]) -> ReadOutcome {
        let (outcome, bytes) = socket.readBytes()
        all += bytes
        return outcome
    }

    private func failure(_ body: () throws(SystemError) -> Void) -> SystemError? {
        do {
            try body()
            return nil
        } catch {
            return error
        }
    }
}

extension TCPSocket {
    /// Writes the concatenation of both arrays without its first `start` bytes.
    fileprivate func write(_ first: [UInt8], _ second: [UInt8], from start: Int) -> WriteOutcome {
        first.withUnsafeBytes { first in
            second.withUnsafeBytes { second in
                let head = UnsafeRawBufferPointer(rebasing: first.dropFirst(start))
                let tail = UnsafeRawBufferPointer(rebasing: second.dropFirst(max(0, start - first.count)))
                let parts = [head, tail].map {
                    iovec(iov_base: UnsafeMutableRawPointer(mutating: $0.baseAddress), iov_len: $0.count)
                }
                return parts.withUnsafeBufferPointer { write($0) }
            }
        }
    }

    /// Closes like a crashed process: the peer gets a reset.
    fileprivate consuming func closeWithReset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }
}
