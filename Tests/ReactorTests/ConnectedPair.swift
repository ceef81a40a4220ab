import CLinux
import Glibc
import Testing

@testable import Reactor

/// Both ends of a TCP connection over loopback.
struct ConnectedPair: ~Copyable {
    let client: TCPSocket
    let server: TCPSocket
}

func connectedPair(_ family: AddressFamily = .ipv4) throws -> ConnectedPair {
    let listener = try Listener(at: .loopback(family, port: 0))
    let client = try connect(to: listener)
    guard let accepted = try listener.accept() else { throw NothingAccepted() }
    return ConnectedPair(client: client, server: accepted.takeSocket())
}

/// Connects over loopback and waits until both ends are connected.
func connect(to listener: borrowing Listener, _ family: AddressFamily? = nil) throws -> TCPSocket {
    let bound = listener.localAddress
    let address = try #require(bound)
    let client = try TCPSocket(connectingTo: .loopback(family ?? address.family, port: address.port))
    let failure = waitUntil(client.fd, POLLOUT) ? client.connectionFailure() : nil
    #expect(failure == nil)
    let isWaiting = waitUntil(listener.fd, POLLIN)
    #expect(isWaiting)
    return client
}

struct NothingAccepted: Error {}

extension TCPSocket {
    func write(_ text: String) -> WriteOutcome {
        Array(text.utf8).withUnsafeBytes { write($0) }
    }

    /// Reads once, up to `capacity` bytes.
    func readBytes(_ capacity: Int = 65_536) -> (outcome: ReadOutcome, bytes: [UInt8]) {
        var buffer = [UInt8](repeating: 0, count: capacity)
        let outcome = buffer.withUnsafeMutableBytes { read(into: $0) }
        guard case .bytes(let count) = outcome else { return (outcome, []) }
        return (outcome, Array(buffer[..<count]))
    }
}
