import CLinux
import Glibc
import Testing

@testable import Reactor

@Suite struct UnixDatagramSocketTests {
    /// Creates a receiver at `name`; the caller must close the descriptor.
    private func receiver(at name: String) throws -> Int32 {
        let fd = socket(AF_UNIX, clinux_datagram, 0)
        let isBound = try sockaddr_un.with(pathOrAbstractName: name) { Glibc.bind(fd, $0, $1) == 0 }
        try #require(isBound)
        return fd
    }

    private func next(_ fd: Int32) -> String? {
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = recv(fd, &bytes, bytes.count, 0)
        return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    @Test(arguments: ["/tmp/apus-datagram-", "@apus-datagram-"])
    func eachTextIsADatagramAtAPathOrAbstractName(prefix: String) throws {
        let name = "\(prefix)\(getpid())"
        let fd = try receiver(at: name)
        defer {
            close(fd)
            unlink(name)
        }
        let sender = try UnixDatagramSocket(connectingTo: name)
        try sender.send("READY=1\nSTATUS=ä")
        try sender.send("STOPPING=1")
        #expect([next(fd), next(fd), next(fd)] == ["READY=1\nSTATUS=ä", "STOPPING=1", nil])
    }

    @Test func sendingWaitsForAFullReceiver() throws {
        let name = "@apus-datagram-full-\(getpid())"
        let fd = try receiver(at: name)
        defer { close(fd) }
        let sender = try UnixDatagramSocket(connectingTo: name)
        // More than Linux queues (net.unix.max_dgram_qlen: 10, or 512 if systemd has raised it).
        let count = 600
        let reader = try startThread {
            for _ in 0..<count where waitUntil(fd, POLLIN) { _ = recv(fd, nil, 0, 0) }
        }
        for _ in 0..<count { try sender.send("x") }
        pthread_join(reader, nil)
        #expect(next(fd) == nil, "no datagram was lost or repeated")
    }

    @Test func connectingWithoutAReceiverFails() throws {
        for (name, code) in [("/tmp/apus-nobody", ENOENT), ("@apus-nobody", ECONNREFUSED), ("", ENAMETOOLONG)] {
            let failure = #expect(throws: SystemError.self) { _ = try UnixDatagramSocket(connectingTo: name) }
            #expect(failure?.code == code)
        }
        let long = "@" + String(repeating: "a", count: 108)
        let failure = #expect(throws: SystemError.self) { _ = try UnixDatagramSocket(connectingTo: long) }
        #expect(failure?.code == ENAMETOOLONG)
    }
}
