import RTP
import TestSupport
import Testing

@Suite struct ReorderBufferTests {
    private func drain(_ buffer: inout ReorderBuffer<Int>) -> [Int] {
        var taken: [Int] = []
        while let element = buffer.next() { taken.append(element) }
        return taken
    }

    @Test func packetsLeaveInOrderAcrossTheWrap() {
        var buffer = ReorderBuffer<Int>(capacity: 8)
        var taken: [Int] = []
        for offset in [0, 2, 1, 5, 3, 4, 7, 6] {
            #expect(buffer.insert(offset, SequenceNumber(65_533).advanced(by: offset)) == .accepted)
            taken += drain(&buffer)
        }
        #expect(taken == Array(0..<8))
        #expect(buffer.count == 0)
    }

    @Test func aGapIsGivenUpWhenTheBufferIsFull() {
        var buffer = ReorderBuffer<Int>(capacity: 3)
        #expect(buffer.insert(0, SequenceNumber(0)) == .accepted)
        #expect(drain(&buffer) == [0])
        for number in 2...4 {
            #expect(buffer.insert(number, SequenceNumber(UInt16(number))) == .accepted)
            #expect(drain(&buffer) == [])
        }
        #expect(buffer.insert(6, SequenceNumber(6)) == .accepted)
        #expect(drain(&buffer) == [2, 3, 4])
        #expect(buffer.insert(1, SequenceNumber(1)) == .late)
        #expect(buffer.insert(6, SequenceNumber(6)) == .duplicate)
        #expect(buffer.count == 1)
    }

    @Test func passGapSkipsOneGap() {
        var buffer = ReorderBuffer<Int>(capacity: 10)
        for number in [0, 2, 3, 5] { _ = buffer.insert(number, SequenceNumber(UInt16(number))) }
        #expect(drain(&buffer) == [0])
        buffer.passGap()
        #expect(drain(&buffer) == [2, 3])
        buffer.passGap()
        #expect(drain(&buffer) == [5])
    }

    @Test func aRestartedSenderIsAccepted() {
        var buffer = ReorderBuffer<Int>(capacity: 4)
        _ = buffer.insert(0, SequenceNumber(30_000))
        #expect(drain(&buffer) == [0])
        var taken: [Int] = []
        for number in 0..<200 {
            _ = buffer.insert(number, SequenceNumber(UInt16(number)))
            taken += drain(&buffer)
        }
        #expect(taken == Array(99..<200))
    }

    @Test func aBufferHoldsNoMoreThanItsCapacity() {
        var random = SplitMix64(seed: 31)
        var buffer = ReorderBuffer<Int>(capacity: 16)
        for _ in 0..<5000 {
            _ = buffer.insert(0, SequenceNumber(UInt16.random(in: .min ... .max, using: &random)))
            while buffer.next() != nil {}
            #expect(buffer.count <= 16)
        }
    }
}
