import CLinux
import Glibc
import Testing

@testable import Reactor

@Suite struct ListenerTests {
    @Test(arguments: [AddressFamily.ipv4, .ipv6]) func oneSocketAcceptsBothFamilies(family: AddressFamily) throws {
        let listener = try Listener.onAllAddresses(port: 0)
        let client = try connect(to: listener, family)
        guard let accepted = try listener.accept() else { throw NothingAccepted() }
        let (peer, clientAddress) = (accepted.peer, client.localAddress)
        #expect(peer.family == family)
        #expect(peer.isLoopback)
        #expect(peer == clientAddress)
        let server = accepted.takeSocket()
        let (serverAddress, clientPeer) = (server.localAddress, client.peerAddress)
        #expect(serverAddress == clientPeer)
    }

    @Test func acceptReturnsNilWithoutAPendingConnection() throws {
        let listener = try Listener(at: .loopback(.ipv4, port: 0))
        if try listener.accept() != nil { Issue.record("accepted a connection that no client made") }
    }

    @Test func aSecondListenerOnThePortFails() throws {
        let first = try Listener.onAllAddresses(port: 0)
        let bound = first.localAddress
        let port = try #require(bound).port
        let error = #expect(throws: SystemError.self) { _ = try Listener.onAllAddresses(port: port) }
        #expect(error?.isAddressInUse == true)
        #expect(error?.description.hasPrefix("bind: Address already in use") == true)
        // The IPv4 half of the dual-stack socket also uses the port.
        #expect(throws: SystemError.self) { _ = try Listener(at: .loopback(.ipv4, port: port)) }
    }

    @Test func thePortCanBeReusedWhileConnectionsAreInTimeWait() throws {
        let listener = try Listener(at: .loopback(.ipv4, port: 0))
        let bound = listener.localAddress
        let address = try #require(bound)
        let client = try connect(to: listener)
        guard let accepted = try listener.accept() else { throw NothingAccepted() }
        // The end that closes first stays in TIME_WAIT on the listener's port.
        accepted.takeSocket().close()
        listener.close()
        let sawEnd = waitUntil(client.fd, POLLIN)
        #expect(sawEnd)
        client.close()
        let again = try Listener(at: address)
        let boundAgain = again.localAddress
        #expect(boundAgain == address)
    }

    @Test func withoutDescriptorsAcceptFailsAndTheConnectionStaysPending() throws {
        let findings = Mailbox<[String]>()
        let thread = try startThread { findings.put(exhaustDescriptors()) }
        let found = findings.take()
        pthread_join(thread, nil)
        #expect(found == ["out of descriptors", "accepted"])
    }
}

/// unshare(2), which Swift's Glibc module does not export.
@_silgen_name("unshare") private func unshare(_ flags: Int32) -> Int32

private let cloneFiles: Int32 = 0x400

/// Fills the descriptor table of the calling thread only, so that other tests are not affected; it disappears with the thread.
private func exhaustDescriptors() -> [String] {
    guard unshare(cloneFiles) == 0 else { return ["unshare failed: \(errno)"] }
    var findings: [String] = []
    do {
        let listener = try Listener(at: .loopback(.ipv4, port: 0))
        let client = try connect(to: listener)
        var last: Int32 = -1
        while case let copy = dup(client.fd), copy >= 0 { last = copy }
        do {
            findings.append(try listener.accept() == nil ? "nothing pending" : "accepted")
        } catch {
            findings.append(error.isDescriptorExhaustion ? "out of descriptors" : error.description)
        }
        close(last)
        findings.append(try listener.accept() == nil ? "nothing pending" : "accepted")
    } catch {
        findings.append("\(error)")
    }
    return findings
}
