import Fuzzing
import RTP

/// In whatever order packets arrive, each accepted packet is returned once and in order, and the buffer never exceeds its
/// capacity. A jump back is followed only after a hundred late packets.
@Sendable func fuzzRTPReorder(_ input: [UInt8]) {
    var script = Script(input)
    let capacity = 1 + Int(script.byte() % 32)
    var run = ReorderRun(capacity: capacity)
    while !script.isAtEnd { run.step(&script) }
    run.end()
}

private struct ReorderRun {
    private let capacity: Int
    private var buffer: ReorderBuffer<UInt16>
    private var number: UInt16 = 65_500
    /// Accepted packets that were not returned yet.
    private var waiting: Set<UInt16> = []
    /// The first number; later the one after the last returned.
    private var expected: SequenceNumber?
    private var latePacketsInARow = 0

    init(capacity: Int) {
        self.capacity = capacity
        buffer = ReorderBuffer(capacity: capacity)
    }

    mutating func step(_ script: inout Script) {
        let operation = script.byte()
        switch operation & 0x0F {
        case 0: buffer.passGap()
        case 1: jump(to: script.uint16())
        case 2: for _ in 0..<100 { insert(number &- 1_000) }
        case 3: insert(number &- UInt16(operation >> 4))
        case 4: insert(number &+ UInt16(operation >> 4))
        case 5: return insert(number)
        default:
            number &+= operation & 0x40 == 0 ? 1 : UInt16(operation >> 7) + 2
            if operation & 0x20 == 0 || !passes(number) { insert(number) }
        }
        drain()
    }

    mutating func end() {
        drain()
        while buffer.count > 0 {
            let before = buffer.count
            buffer.passGap()
            drain()
            require(buffer.count < before, "skipping a gap releases a packet")
        }
        require(waiting.isEmpty, "accepted packets are returned")
    }

    private mutating func jump(to next: UInt16) {
        number = next
        insert(next)
    }

    private mutating func passes(_ raw: UInt16) -> Bool {
        let number = SequenceNumber(raw)
        let isNext = waiting.isEmpty && number == expected ?? number
        let hasPassed = buffer.passes(number)
        require(hasPassed == isNext, "only the next packet passes, and only while none waits")
        guard hasPassed else { return false }
        (expected, latePacketsInARow) = (number.advanced(by: 1), 0)
        return true
    }

    private mutating func insert(_ raw: UInt16) {
        let number = SequenceNumber(raw)
        let isBehind = expected.map { number.distance(from: $0) < 0 } ?? false
        switch buffer.insert(raw, number) {
        case .accepted:
            if isBehind {
                require(latePacketsInARow >= 99, "only a hundred late packets restart the sequence")
                waiting = []
                expected = number
            }
            expected = expected ?? number
            require(waiting.insert(raw).inserted, "a packet that is already buffered is a duplicate")
            latePacketsInARow = 0
        case .duplicate:
            require(waiting.contains(raw), "a duplicate is already buffered")
            latePacketsInARow = 0
        case .late:
            require(isBehind, "a packet newer than all returned ones is not late")
            latePacketsInARow += 1
        }
        require(buffer.count == waiting.count, "accepted packets that were not returned are buffered")
    }

    private mutating func drain() {
        while let raw = buffer.next() {
            let number = SequenceNumber(raw)
            require(waiting.remove(raw) != nil, "a returned packet was accepted and is returned once")
            require(expected.map { number.distance(from: $0) >= 0 } == true, "packets are returned in order")
            expected = number.advanced(by: 1)
        }
        require(buffer.count <= capacity, "the buffer does not exceed its capacity")
        require(expected.map { waiting.contains($0.rawValue) } != true, "the next packet is not held back")
    }
}
