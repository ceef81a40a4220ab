import CAllocations
import RTP
import TestSupport
import Testing
import Wire

@testable import SRTP

/// The packets of a peer that sends media: each is opened once, whatever the network does with it, and no other is.
struct ReceptionTests {
    private static let suites: [(CipherSuite, [UInt8])] = [
        (.counterMode, []), (.counterMode, [1, 2, 3, 4]), (.gcm, []), (.gcm, [1, 2, 3, 4]),
    ]

    /// A sender with its own count of packets.
    private struct Sender {
        let key: MasterKey
        let ssrc: UInt32
        private let protection: OutgoingProtection

        init(_ suite: CipherSuite, identifier: [UInt8] = [], ssrc: UInt32 = 0xBEEF, seed: UInt8 = 0) throws {
            (key, self.ssrc) = (.fixture(suite, identifier: identifier, seed: seed), ssrc)
            protection = try OutgoingProtection(key, ssrc: ssrc)
        }

        /// The packet with an index, whose payload depends on it; with contributing sources and an extension if wanted.
        func plain(_ index: UInt64, byteCount: Int = 40, isLong: Bool = false) -> [UInt8] {
            var writer = ByteWriter(capacity: 64)
            header(index, isLong: isLong).write(to: &writer)
            return writer.bytes + (0..<byteCount).map { UInt8(truncatingIfNeeded: UInt64($0) &* 3 &+ index) }
        }

        func sealed(_ index: UInt64, byteCount: Int = 40, isLong: Bool = false) -> [UInt8] {
            var writer = ByteWriter(capacity: 64)
            header(index, isLong: isLong).write(to: &writer)
            let plain = plain(index, byteCount: byteCount, isLong: isLong)
            let payload = Array(plain[writer.bytes.count...])
            return writer.bytes + protection.sealed(payload, header: writer.bytes, index: index)
        }

        func sealed(report: [UInt8]) -> [UInt8] { protection.sealed(report: report) ?? [] }

        private func header(_ index: UInt64, isLong: Bool) -> Header {
            Header(
                payloadType: PayloadType(lowBitsOf: 96), isMarked: true,
                sequenceNumber: SequenceNumber(UInt16(truncatingIfNeeded: index)),
                timestamp: UInt32(truncatingIfNeeded: index &* 3_000), ssrc: SSRC(ssrc),
                contributingSources: isLong ? [SSRC(1), SSRC(2)] : [],
                headerExtension: isLong ? .init(profile: 0xBEDE, data: [0x10, 7, 0, 0]) : nil)
        }
    }

    private func receiver(of sender: Sender, rollover: UInt32 = 0) throws -> IncomingProtection {
        try IncomingProtection(
            SenderKey(sender.key, rolloverCounters: rollover == 0 ? [:] : [SSRC(sender.ssrc): rollover]))
    }

    @Test(arguments: suites)
    func aPacketIsOpenedOnceAndOnlyByItsKey(suite: CipherSuite, identifier: [UInt8]) throws {
        let sender = try Sender(suite, identifier: identifier)
        let (own, other) = (
            try receiver(of: sender), try receiver(of: Sender(suite, identifier: identifier, seed: 1))
        )
        for (number, byteCount) in [0, 1, 40, 1_400, 60_000].enumerated() {
            for isLong in [false, true] {
                let index = UInt64(2 * number + (isLong ? 1 : 0))
                let packet = sender.sealed(index, byteCount: byteCount, isLong: isLong)
                let plain = sender.plain(index, byteCount: byteCount, isLong: isLong)
                #expect(other.opened(packet) == nil)
                #expect(own.isAuthentic(packet.rawSpan) && own.opened(packet) == plain)
                #expect(own.opened(packet) == nil && !own.isAuthentic(packet.rawSpan), "a replay")
            }
        }
        #expect(own.failureCount == 0, "a replay is no failure")
        #expect(other.failureCount == 10)
    }

    @Test(arguments: suites)
    func aPacketWithAChangedBitOrMissingByteIsRejected(suite: CipherSuite, identifier: [UInt8]) throws {
        let sender = try Sender(suite, identifier: identifier)
        let receiver = try receiver(of: sender)
        let packet = sender.sealed(7, isLong: true)
        for position in packet.indices {
            for bit in 0..<8 {
                var changed = packet
                changed[position] ^= 1 << bit
                #expect(receiver.opened(changed) == nil, "bit \(bit) of byte \(position)")
            }
            #expect(receiver.opened(Array(packet[..<position])) == nil)
        }
        #expect(receiver.opened(packet + [0]) == nil)
        #expect(receiver.failureCount == Int64(packet.count * 9 + 1))
        #expect(receiver.opened(packet) == sender.plain(7, isLong: true), "rejected packets change nothing")
    }

    /// Packets are lost, swapped and repeated, through two rollovers. What has not come too late is opened once.
    @Test(arguments: suites)
    func lossAndReorderingAroundRollovers(suite: CipherSuite, identifier: [UInt8]) throws {
        let sender = try Sender(suite, identifier: identifier)
        let receiver = try receiver(of: sender)
        var numbers = SplitMix64(seed: 5)
        var opened: Set<UInt64> = []
        var newest: UInt64 = 0
        for start in [65_000, 131_072 - 300] as [UInt64] {
            for position in start..<(start + 1_000) {
                let index = position - min(numbers.next() % 80, position - start)
                guard numbers.next() % 10 != 0 else { continue }
                let isNew = !opened.contains(index) && (index > newest || newest - index < 64)
                #expect(receiver.opened(sender.sealed(index)) == (isNew ? sender.plain(index) : nil), "\(index)")
                guard isNew else { continue }
                opened.insert(index)
                newest = max(newest, index)
            }
        }
        #expect(receiver.failureCount == 0, "late packets are no failures")
    }

    /// A sender counts from a random number, and its first packets may be lost, or it has announced its rollover counter.
    @Test(arguments: suites)
    func aReceiverThatStartsLateFindsTheRolloverCounter(suite: CipherSuite, identifier: [UInt8]) throws {
        let sender = try Sender(suite, identifier: identifier)
        for (announced, first) in [(0, 0xFFFE), (0, 0x1_0003), (7, 0x7_FFFF), (7, 0x8_0000), (65_536, 0x1_0000_1234)]
            as [(UInt32, UInt64)]
        {
            let receiver = try receiver(of: sender, rollover: announced)
            for index in [first, first + 1, first + 2, first - 1] {
                #expect(receiver.opened(sender.sealed(index)) == sender.plain(index), "\(announced) \(index)")
            }
            #expect(receiver.failureCount == 0)
        }
        let receiver = try receiver(of: sender)
        #expect(receiver.opened(sender.sealed(0x2_0000)) == nil, "two rollovers were lost")
        #expect(receiver.failureCount == 1)
    }

    /// After a pause, more than half of all sequence numbers are missing in a row.
    @Test func aLongGapIsPassed() throws {
        for (before, after) in [(10, 40_000), (0x1_8000, 0x2_7FF0), (0x3_0000, 0x3_8001)] as [(UInt64, UInt64)] {
            let sender = try Sender(.counterMode)
            let receiver = try receiver(of: sender, rollover: UInt32(before >> 16))
            for index in [before, after, after + 1, after - 1] {
                #expect(receiver.opened(sender.sealed(index)) == sender.plain(index), "\(index)")
            }
        }
    }

    @Test func eachSourceCountsForItself() throws {
        let (first, second) = (try Sender(.gcm, ssrc: 1), try Sender(.gcm, ssrc: 2))
        let receiver = try IncomingProtection(SenderKey(first.key, rolloverCounters: [SSRC(2): 4]))
        for index in [0, 1, 2] as [UInt64] {
            #expect(receiver.opened(first.sealed(index)) == first.plain(index))
            #expect(receiver.opened(second.sealed(0x4_0000 + index)) == second.plain(0x4_0000 + index))
        }
        let opened = try (3..<20).filter { ssrc in
            let sender = try Sender(.gcm, ssrc: UInt32(ssrc))
            return receiver.opened(sender.sealed(1)) != nil
        }
        #expect(opened == Array(3...8), "a peer has at most eight sources")
    }

    /// Devices send RTCP to the port of RTP, too.
    @Test(arguments: suites)
    func reportsAndPacketsAreToldApart(suite: CipherSuite, identifier: [UInt8]) throws {
        let sender = try Sender(suite, identifier: identifier)
        let receiver = try receiver(of: sender)
        let report: [UInt8] = [0x80, 200, 0, 6, 0, 0, 0xBE, 0xEF] + (0..<20)
        let sealed = sender.sealed(report: report)
        #expect(receiver.opened(sealed) == report && receiver.opened(sealed) == nil)
        #expect(receiver.failureCount == 0)
        #expect(receiver.opened(report) == nil, "it is not encrypted")
        #expect(receiver.opened([]) == nil && receiver.opened([0x80]) == nil && receiver.opened([0x80, 200]) == nil)
        #expect(receiver.failureCount == 4)
    }

    /// Our reports are opened by the publisher with our key.
    @Test(arguments: suites)
    func ourReportsAreEncrypted(suite: CipherSuite, identifier: [UInt8]) throws {
        let key = MasterKey.fixture(suite, identifier: identifier)
        let protection = try ReceptionProtection(peer: SenderKey(.fixture(.gcm, seed: 3)), own: key)
        let publisher = try IncomingReports(key)
        let report: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, 7]
        for _ in 0..<3 {
            let sealed = try #require(protection.outgoing.sealed(report))
            #expect(publisher.opened(sealed) == report && protection.incoming.opened(sealed) == nil)
        }
    }

    @Test(.enabled(if: allocations_are_counted() != 0, "a sanitizer owns malloc"), arguments: suites)
    func packetsAllocateNothing(suite: CipherSuite, identifier: [UInt8]) throws {
        let sender = try Sender(suite, identifier: identifier)
        let receiver = try receiver(of: sender)
        let authentic = (0..<100).map { sender.sealed($0, byteCount: 1_400, isLong: true) }
        let forged = authentic.map { packet in Array(packet.dropLast()) + [packet[packet.count - 1] ^ 1] }
        #expect(receiver.opened(authentic[0]) != nil)
        var openedCount = 0
        let before = allocations_of_this_thread()
        for index in 1..<100 {
            if receiver.opens(forged[index]) { openedCount += 1 }
            if receiver.opens(authentic[index]) { openedCount += 1 }
        }
        #expect(allocations_of_this_thread() == before)
        #expect(openedCount == 99)
    }
}

extension IncomingProtection {
    fileprivate func opened(_ packet: [UInt8]) -> [UInt8]? {
        guard let plain = opened(packet.rawSpan) else { return nil }
        return [UInt8](plain)
    }

    fileprivate func opens(_ packet: [UInt8]) -> Bool {
        guard let plain = opened(packet.rawSpan) else { return false }
        return plain.byteCount > 0
    }
}
