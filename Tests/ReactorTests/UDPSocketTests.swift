import CLinux
import Glibc
import Testing

@testable import Reactor

/// A received packet with a copy of its bytes.
private struct ReceivedPacket: Equatable {
    let bytes: [UInt8]
    let source: SocketAddress
    let destination: SocketAddress?
}

/// Receives until `count` datagrams have arrived or two seconds have passed without one.
private func receive(_ count: Int, at socket: borrowing UDPSocket) -> [ReceivedPacket] {
    var batch = ReceivedDatagrams(capacity: 8)
    var all: [ReceivedPacket] = []
    while all.count < count, waitUntil(socket.fd, POLLIN), case .bytes = batch.receive(from: socket) {
        batch.forEachDatagram {
            all.append(ReceivedPacket(bytes: [UInt8]($0.bytes), source: $0.source, destination: $0.destination))
        }
    }
    return all
}

private func address(of socket: borrowing UDPSocket) throws -> SocketAddress {
    let bound = socket.localAddress
    return try #require(bound)
}

private func send(_ bytes: [UInt8], from socket: borrowing UDPSocket, to address: SocketAddress) -> SystemError? {
    bytes.withUnsafeBytes { socket.send($0, to: address) }
}

@Suite struct UDPSocketTests {
    @Test(arguments: [AddressFamily.ipv4, .ipv6]) func aDatagramHasItsSourceAndDestination(family: AddressFamily) throws
    {
        let server = try UDPSocket.onAllAddresses(port: 0)
        let client = try UDPSocket(at: .loopback(family, port: 0))
        let serverAddress = SocketAddress.loopback(family, port: try address(of: server).port)
        let clientAddress = try address(of: client)
        #expect(send([1, 2, 3], from: client, to: serverAddress) == nil)
        let arrived = receive(1, at: server)
        #expect(
            arrived == [
                ReceivedPacket(bytes: [1, 2, 3], source: clientAddress, destination: serverAddress.with(port: 0))
            ])
        #expect(send([4], from: server, to: clientAddress) == nil)
        #expect(receive(1, at: client).first?.source == serverAddress)
    }

    @Test(arguments: [AddressFamily.ipv4, .ipv6])
    func aSendOnlySocketSharesTheReceiversPortAndReceivesNothing(family: AddressFamily) throws {
        let receiver = try UDPSocket.onAllAddresses(port: 0)
        let port = try address(of: receiver).port
        try receiver.setDifferentiatedServices(codePoint: 34)
        let first = try UDPSocket(sendingFromPortOf: receiver, bufferByteCount: 131_072)
        let second = try UDPSocket(sendingFromPortOf: receiver, bufferByteCount: 131_072)
        let client = try UDPSocket(at: .loopback(family, port: 0))
        let clientAddress = try address(of: client)
        let source = try #require(UDPSocket.sourceAddress(towards: clientAddress))
        #expect(source == .loopback(family, port: 0))
        for sender in 0..<2 {
            let failure = [UInt8(sender)].withUnsafeBytes { bytes in
                sender == 0
                    ? first.send(bytes, to: clientAddress, segmentByteCount: nil, source: source)
                    : second.send(bytes, to: clientAddress, segmentByteCount: nil, source: source)
            }
            #expect(failure == nil)
            let arrived = receive(1, at: client)
            #expect(arrived.map(\.bytes) == [[UInt8(sender)]])
            #expect(arrived.first?.source == .loopback(family, port: port))
            #expect(send([9], from: client, to: .loopback(family, port: port)) == nil)
            #expect(receive(1, at: receiver).map(\.bytes) == [[9]])
        }
        // The port is still exclusive.
        #expect(throws: SystemError.self) { _ = try UDPSocket.onAllAddresses(port: port) }
        let trafficClass = first.descriptor.option(clinux_level_ip, IP_TOS)
        #expect(trafficClass == 34 << 2)
    }

    @Test func aBatchArrivesInOrderWithAnyBatchCapacity() throws {
        let receiver = try UDPSocket(at: .loopback(.ipv4, port: 0))
        let sender = try UDPSocket.onAllAddresses(port: 0)
        let sent = try sendBatch(count: 20, from: sender, to: try address(of: receiver))
        #expect(sent == SentBatch(count: 20, error: nil))
        #expect(receive(20, at: receiver).map(\.bytes) == (0..<20).map { [UInt8](repeating: $0, count: Int($0) + 1) })
    }

    @Test func receivingWithoutADatagramWouldBlock() throws {
        let socket = try UDPSocket(at: .loopback(.ipv4, port: 0))
        var batch = ReceivedDatagrams(capacity: 1)
        #expect(batch.receive(from: socket) == .wouldBlock)
        #expect(batch.count == 0)
    }

    @Test func anOverlongDatagramIsDroppedAndAnEmptyOneIsKept() throws {
        let receiver = try UDPSocket(at: .loopback(.ipv4, port: 0))
        let sender = try UDPSocket(at: .loopback(.ipv4, port: 0))
        let target = try address(of: receiver)
        for count in [101, 100, 0] {
            #expect(send([UInt8](repeating: 9, count: count), from: sender, to: target) == nil)
        }
        var batch = ReceivedDatagrams(capacity: 8, datagramByteCount: 100)
        #expect(waitUntil(receiver.fd, POLLIN))
        #expect(batch.receive(from: receiver) == .bytes(3))
        var counts: [Int] = []
        batch.forEachDatagram { counts.append($0.bytes.count) }
        #expect(counts == [100, 0])
    }

    @Test(arguments: [AddressFamily.ipv4, .ipv6]) func aGSOSendDeliversDatagramsOfExactSize(family: AddressFamily)
        throws
    {
        guard GSO.probe() else { return }
        let receiver = try UDPSocket(at: .loopback(family, port: 0))
        let sender = try UDPSocket.onAllAddresses(port: 0)
        let payload = (0..<4_500).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let error = try payload.withUnsafeBytes {
            sender.send($0, to: try address(of: receiver), segmentByteCount: 1_000)
        }
        #expect(error == nil)
        let arrived = receive(5, at: receiver)
        #expect(arrived.map(\.bytes.count) == [1_000, 1_000, 1_000, 1_000, 500])
        #expect(arrived.flatMap(\.bytes) == payload)
    }

    @Test func aGSOBatchIsCoalescedOnlyWithGRO() throws {
        guard GSO.probe() else { return }
        let receiver = try UDPSocket(at: .loopback(.ipv4, port: 0))
        let sender = try UDPSocket.onAllAddresses(port: 0)
        let target = try address(of: receiver)
        let payload = [UInt8](repeating: 1, count: 4_500)
        var batch = ReceivedDatagrams(capacity: 8, datagramByteCount: ReceivedDatagrams.maximumGROByteCount)
        for (isWhole, count) in [(true, 1), (false, 5), (true, 1)] {
            try receiver.setGRO(whole: isWhole)
            let error = payload.withUnsafeBytes { sender.send($0, to: target, segmentByteCount: 1_000) }
            #expect(error == nil)
            #expect(waitUntil(receiver.fd, POLLIN))
            #expect(batch.receive(from: receiver) == .bytes(count))
            #expect(batch.byteCount == 4_500)
        }
    }

    @Test(arguments: [[4_500, 1_000], [4_000, 1_000], [65_000, 1_300], [700, 1_000]])
    func aCoalescedDatagramHoldsThePacketsThatWereSent(sizes: [Int]) throws {
        guard GSO.probe() else { return }
        let (byteCount, segmentByteCount) = (sizes[0], sizes[1])
        let receiver = try UDPSocket(at: .loopback(.ipv4, port: 0))
        let sender = try UDPSocket.onAllAddresses(port: 0)
        try receiver.setGRO(whole: true)
        try receiver.enableArrivalTimes()
        let payload = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let error = try payload.withUnsafeBytes {
            sender.send($0, to: try address(of: receiver), segmentByteCount: UInt16(segmentByteCount))
        }
        #expect(error == nil)
        var batch = ReceivedDatagrams(capacity: 2, datagramByteCount: ReceivedDatagrams.maximumGROByteCount)
        #expect(waitUntil(receiver.fd, POLLIN))
        #expect(batch.receive(from: receiver) == .bytes(1))
        let train = try #require(batch[0])
        #expect(train.arrivalUnixNanoseconds != nil)
        let expected = stride(from: 0, to: byteCount, by: segmentByteCount).map {
            [UInt8](payload[$0..<min($0 + segmentByteCount, byteCount)])
        }
        #expect(train.packets.map { [UInt8]($0) } == expected)
    }

    @Test func aPlainDatagramIsOnePacket() throws {
        let receiver = try UDPSocket(at: .loopback(.ipv4, port: 0))
        let sender = try UDPSocket(at: .loopback(.ipv4, port: 0))
        try receiver.setGRO(whole: true)
        for bytes in [[1, 2, 3], []] as [[UInt8]] {
            #expect(send(bytes, from: sender, to: try address(of: receiver)) == nil)
        }
        var batch = ReceivedDatagrams(capacity: 2)
        #expect(waitUntil(receiver.fd, POLLIN))
        #expect(batch.receive(from: receiver) == .bytes(2))
        #expect(batch[0]?.packets.map { [UInt8]($0) } == [[1, 2, 3]])
        #expect(batch[1]?.packets.map { [UInt8]($0) } == [])
    }

    @Test func tooManySegmentsAreReportedAsRefusedGSO() throws {
        guard GSO.probe() else { return }
        let receiver = try UDPSocket(at: .loopback(.ipv4, port: 0))
        let sender = try UDPSocket(at: .loopback(.ipv4, port: 0))
        let payload = [UInt8](repeating: 0, count: 4_000)
        let error = try payload.withUnsafeBytes { sender.send($0, to: try address(of: receiver), segmentByteCount: 1) }
        #expect(SentBatch(count: 0, error: error).refusesGSO)
    }

    @Test(arguments: ["127.0.0.2", "127.3.4.5"]) func aReplyLeavesFromTheGivenSourceAddress(source: String) throws {
        let receiver = try UDPSocket(at: .loopback(.ipv4, port: 0))
        let dual = try UDPSocket.onAllAddresses(port: 0)
        let single = try UDPSocket(at: .any(.ipv4, port: 0))
        let target = try address(of: receiver)
        let from = try #require(SocketAddress(source, port: 0))
        let bytes: [UInt8] = [7]
        #expect(bytes.withUnsafeBytes { dual.send($0, to: target, segmentByteCount: nil, source: from) } == nil)
        #expect(bytes.withUnsafeBytes { single.send($0, to: target, segmentByteCount: nil, source: from) } == nil)
        #expect(receive(2, at: receiver).map { $0.source.with(port: 0) } == [from, from])
    }

    @Test func theDSCPIsSetForBothFamilies() throws {
        let socket = try UDPSocket.onAllAddresses(port: 0)
        try socket.setDifferentiatedServices(codePoint: 34)
        #expect(socket.descriptor.option(clinux_level_ip, IP_TOS) == 34 << 2)
        if socket.family == .ipv6 { #expect(socket.descriptor.option(clinux_level_ipv6, IPV6_TCLASS) == 34 << 2) }
    }

    /// Uses time to live 0 and the loopback interface, so that no datagram leaves the host.
    @Test func onlyMembersReceiveAGroup() throws {
        let lo = SocketAddress.loopback(.ipv4, port: 0)
        let receiver = try UDPSocket.onAllAddresses(port: 0)
        let group = try #require(SocketAddress("239.255.77.1", port: try address(of: receiver).port))
        let sender = try UDPSocket.onAllAddresses(port: 0)
        try sender.setMulticastInterface(having: lo)
        try sender.setMulticastTimeToLive(0)
        try sender.setMulticastLoop(true)
        try receiver.join(group, onInterfaceHaving: lo)
        #expect(send([5], from: sender, to: group) == nil)
        let arrived = receive(1, at: receiver)
        #expect(arrived.map(\.bytes) == [[5]])
        #expect(arrived.first?.destination == group.with(port: 0))
        try receiver.leave(group, onInterfaceHaving: lo)
        #expect(throws: SystemError.self) { try receiver.leave(group, onInterfaceHaving: lo) }
    }

    /// Like the test above, this sends nothing to other hosts.
    @Test func twoReceiversOfAGroupShareItsPort() throws {
        let lo = SocketAddress.loopback(.ipv4, port: 0)
        let group = try #require(SocketAddress("239.255.77.2", port: 41_500))
        let first = try UDPSocket(receiving: group, onInterfaceHaving: lo)
        let second = try UDPSocket(receiving: group, onInterfaceHaving: lo)
        let sender = try UDPSocket(at: .any(.ipv4, port: 0))
        try sender.setMulticastInterface(having: lo)
        try sender.setMulticastTimeToLive(0)
        #expect(send([6], from: sender, to: group) == nil)
        #expect(receive(1, at: first).map(\.bytes) == [[6]])
        #expect(receive(1, at: second).map(\.bytes) == [[6]])
    }

    /// Source-specific multicast. Like the tests above, this sends nothing to other hosts.
    @Test func aReceiverOfAGroupHearsItsSourcesOnly() throws {
        let lo = SocketAddress.loopback(.ipv4, port: 0)
        let group = try #require(SocketAddress("239.255.77.3", port: 41_501))
        let other = try #require(SocketAddress("127.0.0.2", port: 0))
        let hears = try UDPSocket(receiving: group, from: [other, lo], onInterfaceHaving: lo)
        let hearsOther = try UDPSocket(receiving: group, from: [other], onInterfaceHaving: lo)
        for (source, byte) in [(lo, UInt8(7)), (other, 8)] {
            let sender = try UDPSocket(at: source)
            try sender.setMulticastInterface(having: lo)
            try sender.setMulticastTimeToLive(0)
            #expect(send([byte], from: sender, to: group) == nil)
        }
        #expect(receive(2, at: hears).map(\.bytes) == [[7], [8]])
        #expect(receive(1, at: hearsOther).map(\.bytes) == [[8]])
    }

    @Test func aDatagramHasItsArrivalTime() throws {
        let receiver = try UDPSocket(at: .loopback(.ipv4, port: 0))
        let sender = try UDPSocket(at: .loopback(.ipv4, port: 0))
        try receiver.enableArrivalTimes()
        let before = WallClock.unixNanoseconds()
        #expect(send([1], from: sender, to: try address(of: receiver)) == nil)
        var batch = ReceivedDatagrams(capacity: 1)
        #expect(waitUntil(receiver.fd, POLLIN))
        #expect(batch.receive(from: receiver) == .bytes(1))
        let after = WallClock.unixNanoseconds()
        var arrival: Int64?
        batch.forEachDatagram { arrival = $0.arrivalUnixNanoseconds }
        #expect((before...after).contains(try #require(arrival)))
    }

    private func sendBatch(
        count: Int, from sender: borrowing UDPSocket, to address: SocketAddress
    ) throws -> SentBatch {
        var target = sockaddr_storage()
        let targetByteCount = address.write(to: &target, for: sender.family)
        let payload = UnsafeMutableRawBufferPointer.allocate(byteCount: count * count, alignment: 1)
        let parts = UnsafeMutableBufferPointer<iovec>.allocate(capacity: count)
        defer {
            payload.deallocate()
            parts.deallocate()
        }
        return withUnsafeMutablePointer(to: &target) { target in
            var messages = [mmsghdr](repeating: mmsghdr(), count: count)
            for index in 0..<count {
                let bytes = UnsafeMutableRawBufferPointer(
                    rebasing: payload[(index * count)..<(index * count + index + 1)])
                bytes.initializeMemory(as: UInt8.self, repeating: UInt8(index))
                parts.initializeElement(at: index, to: iovec(iov_base: bytes.baseAddress, iov_len: bytes.count))
                messages[index].msg_hdr.msg_name = UnsafeMutableRawPointer(target)
                messages[index].msg_hdr.msg_namelen = targetByteCount
                messages[index].msg_hdr.msg_iov = parts.baseAddress.map { $0 + index }
                messages[index].msg_hdr.msg_iovlen = 1
            }
            return messages.withUnsafeMutableBufferPointer { sender.send($0) }
        }
    }
}
