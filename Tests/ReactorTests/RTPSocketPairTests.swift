import Testing

@testable import Reactor

/// Serialized because each test binds ports that the others would take.
@Suite(.serialized) struct RTPSocketPairTests {
    @Test func twoPairsHaveDifferentEvenPorts() throws {
        let first = try RTPSocketPair.bind(evenIn: 41_001...41_200)
        let second = try RTPSocketPair.bind(evenIn: 41_001...41_200)
        let ports = [first.port, second.port]
        #expect(ports.allSatisfy { $0 % 2 == 0 && $0 > 41_001 })
        #expect(ports[0] < ports[1])
        let bound = [first.rtp.localAddress?.port, first.rtcp.localAddress?.port]
        #expect(bound == [ports[0], ports[0] + 1])
    }

    @Test func aPairWhoseOddPortIsTakenIsSkipped() throws {
        let free = try RTPSocketPair.bind(evenIn: 41_300...41_399)
        let port = free.port
        free.close()
        let blocker = try UDPSocket.onAllAddresses(port: port + 1)
        let pair = try RTPSocketPair.bind(evenIn: port...41_399)
        let next = pair.port
        #expect(next > port)
        _ = blocker.fd
    }

    @Test(arguments: [41_401...41_401, 41_401...41_402, 65_535...65_535] as [ClosedRange<UInt16>])
    func aRangeWithoutAPairFails(range: ClosedRange<UInt16>) {
        let error = #expect(throws: SystemError.self) { _ = try RTPSocketPair.bind(evenIn: range) }
        #expect(error?.isAddressInUse == true)
    }

    @Test func theLastPairOfAllPortsCanBeBound() throws {
        let pair = try RTPSocketPair.bind(evenIn: 65_534...65_535)
        let port = pair.port
        #expect(port == 65_534)
    }

    @Test func theProbeFindsGSO() {
        // The kernels of all supported systems have GSO; a sandbox that refuses it causes a known issue.
        withKnownIssue("no UDP GSO on this host", isIntermittent: true) { #expect(GSO.probe()) }
    }
}

extension RTPSocketPair {
    fileprivate consuming func close() {}
}
