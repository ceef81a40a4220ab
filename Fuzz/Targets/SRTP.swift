import Fuzzing
import RTP
import SRTP
import Wire

/// A receiver of SRTP opens each packet of its sender at most once, and as it was; it opens no other bytes, and counts them.
@Sendable func fuzzSRTP(_ input: [UInt8]) {
    var script = Script(input)
    var run = ProtectedRun(suite: script.byte() & 1 == 0 ? .counterMode : .gcm, flags: script.byte())
    while !script.isAtEnd { run.step(&script) }
}

private struct ProtectedRun {
    private let sender: OutgoingProtection
    private let receiver: IncomingProtection
    private let isLong: Bool
    private var index: UInt64
    /// The sealed packets by their indices, and whether they were opened.
    private var sealed: [UInt64: (packet: [UInt8], plain: [UInt8], isOpened: Bool)] = [:]
    private var reports: [(packet: [UInt8], plain: [UInt8], isOpened: Bool)] = []

    init(suite: CipherSuite, flags: UInt8) {
        let identifier: [UInt8] = flags & 1 == 0 ? [] : [1, 2, 3, 4]
        let material = (0..<(16 + suite.saltByteCount)).map { UInt8($0) }
        // Near the rollover, so that a few packets reach it; sometimes near the end of all indices.
        let rollover: UInt32 = flags & 4 == 0 ? 2 : .max
        guard let key = MasterKey(suite, material: material, identifier: identifier),
            let sender = try? OutgoingProtection(key, ssrc: 7),
            let receiver = try? IncomingProtection(SenderKey(key, rolloverCounters: [SSRC(7): rollover]))
        else { fatalError("the keys have the length of the suite") }
        (self.sender, self.receiver, isLong) = (sender, receiver, flags & 2 != 0)
        index = UInt64(rollover) << 16 | 0xFFF0
    }

    mutating func step(_ script: inout Script) {
        switch script.byte() & 7 {
        case 0: receive(script.chunk(), isTheirs: false)
        case 1: receive(changed(by: &script), isTheirs: false)
        case 2: index &+= UInt64(script.uint16())
        case 3: index = index &- UInt64(script.byte())
        case 4: receiveReport(&script)
        case 5: receiveAgain(&script)
        default: receiveNext(&script)
        }
    }

    private mutating func receiveNext(_ script: inout Script) {
        index = (index &+ 1) & 0xFFFF_FFFF_FFFF
        guard sealed[index] == nil else { return }
        var header: [UInt8] = [
            isLong ? 0x91 : 0x80, 96, UInt8(index >> 8 & 0xFF), UInt8(index & 0xFF), 0, 0, 0, 0, 0, 0, 0, 7,
        ]
        if isLong { header += [1, 2, 3, 4, 0xBE, 0xDE, 0, 1, 0x10, 7, 0, 0] }
        let payload = script.chunk()
        let packet = header + seal(payload, header, index)
        sealed[index] = (packet, header + payload, false)
        receiveSealed(index)
    }

    private mutating func receiveAgain(_ script: inout Script) {
        let earlier = sealed.keys.sorted()
        guard !earlier.isEmpty else { return }
        receiveSealed(earlier[Int(script.byte()) % earlier.count])
    }

    private mutating func receiveSealed(_ index: UInt64) {
        guard let (packet, plain, isOpened) = sealed[index] else { return }
        let isNew = receiver.isAuthentic(packet.rawSpan)
        guard receive(packet, isTheirs: true) == plain else { return require(!isNew, "an authentic packet is opened") }
        require(isNew && !isOpened, "a packet is opened once")
        sealed[index]?.isOpened = true
    }

    private mutating func receiveReport(_ script: inout Script) {
        let number = Int(script.byte())
        if number >= reports.count {
            let plain = [0x80, 200, 0, 1, 0, 0, 0, 7] + script.chunk()
            reports.append((sender.sealed(report: plain) ?? [], plain, false))
        }
        let place = min(number, reports.count - 1)
        guard receive(reports[place].packet, isTheirs: true) == reports[place].plain else { return }
        require(!reports[place].isOpened, "a report is opened once")
        reports[place].isOpened = true
    }

    /// A sealed packet with changed bits, another length, or neither.
    private func changed(by script: inout Script) -> [UInt8] {
        guard var packet = sealed.max(by: { $0.key < $1.key })?.value.packet, !packet.isEmpty else { return [] }
        let place = Int(script.uint16()) % packet.count
        switch script.byte() & 3 {
        case 0: packet[place] ^= 1 << (script.byte() & 7)
        case 1: packet.removeSubrange(place...)
        case 2: packet.remove(at: place)
        default: packet.insert(script.byte(), at: place)
        }
        return packet
    }

    /// - Parameter isTheirs: whether the bytes are a packet of the sender.
    @discardableResult
    private func receive(_ packet: [UInt8], isTheirs: Bool) -> [UInt8]? {
        let failures = receiver.failureCount
        guard let span = receiver.opened(packet.rawSpan) else {
            require(receiver.failureCount - failures <= 1, "a packet fails once")
            return nil
        }
        let plain = [UInt8](span)
        require(receiver.failureCount == failures, "an opened packet is no failure")
        if !isTheirs {
            let known = sealed.values.contains { $0.packet == packet } || reports.contains { $0.packet == packet }
            require(known, "only packets of the sender are opened")
        }
        return plain
    }

    private func seal(_ payload: [UInt8], _ header: [UInt8], _ index: UInt64) -> [UInt8] {
        var place = [UInt8](repeating: 0, count: payload.count + sender.overhead)
        place.withUnsafeMutableBytes { place in
            payload.withUnsafeBytes { payload in
                header.withUnsafeBytes { header in
                    guard let start = place.baseAddress else { return }
                    sender.seal(payload, header: header, index: index, to: start)
                }
            }
        }
        return place
    }
}
