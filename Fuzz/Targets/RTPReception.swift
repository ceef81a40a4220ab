import Fuzzing
import Media
import RTP
import Wire

/// Whatever packets and sender reports come, from whichever source: units are well-formed, their decode times rise, no unit is
/// presented before it is decoded or captured after its arrival, and no packet waits longer than 50 ms.
@Sendable func fuzzRTPReception(_ input: [UInt8]) {
    var script = Script(input)
    var run = ReceptionRun()
    while !script.isAtEnd { run.step(&script) }
    run.end()
}

private let video = Track(
    id: TrackID(0), clockRate: .video,
    // The contents of the parameter sets do not matter here.
    format: .h264(H264.ParameterSets(sequence: [[0x67, 66, 0, 30]], picture: [[0x68, 0xCE]])!))

private struct ReceptionRun {
    private var receiver = StreamReceiver([video], epoch: MonotonicTime(nanoseconds: 0))
    private var now: Int64 = 1_000_000_000
    private var number: UInt16 = 65_530
    private var timestamp: UInt32 = 0xFFFF_0000
    private var source: UInt32 = 1
    private var lastDecode: Int64 = .min

    mutating func step(_ script: inout Script) {
        let flags = script.byte()
        now += Int64(script.byte()) << Int64(flags & 0x07) * 100_000
        passDeadlines()
        switch flags >> 3 & 0x07 {
        case 0: source &+= 1
        case 1: timestamp = UInt32(script.uint16()) << 16 | UInt32(script.uint16())
        case 2: report(&script)
        case 3: number = script.uint16()
        case 4: number &-= 2
        case 5: timestamp &+= 3_600
        default: break
        }
        number &+= flags & 0x40 == 0 ? 1 : 2
        let header = Header(
            payloadType: PayloadType(lowBitsOf: 96), isMarked: flags & 0x80 != 0,
            sequenceNumber: SequenceNumber(number), timestamp: timestamp, ssrc: SSRC(source))
        receiver.received(
            script.chunk().rawSpan, header: header, track: 0, arrival: MonotonicTime(nanoseconds: now))
        take()
        require(
            receiver.nextDeadline == .distantFuture || receiver.nextDeadline.nanoseconds <= now + 50_000_000,
            "no packet waits longer than 50 ms")
    }

    mutating func end() {
        now += 50_000_000
        passDeadlines()
        require(receiver.nextDeadline == .distantFuture, "nothing waits at the end")
    }

    private mutating func report(_ script: inout Script) {
        let ntp = UInt64(script.uint16()) << 48 | UInt64(script.uint16()) << 32 | UInt64(script.uint16()) << 16
        let report = SenderReport(
            ssrc: SSRC(source), ntpTime: NTPTime(rawValue: ntp), rtpTimestamp: timestamp, packetCount: 1, octetCount: 1)
        receiver.received(report, track: 0, arrival: MonotonicTime(nanoseconds: now), hostOffset: 0)
    }

    private mutating func passDeadlines() {
        while receiver.nextDeadline.nanoseconds <= now {
            let deadline = receiver.nextDeadline
            receiver.deadlinePassed(at: deadline)
            require(receiver.nextDeadline > deadline, "a deadline that has passed does not come again")
            take()
        }
    }

    private mutating func take() {
        while let unit = receiver.next()?.unit {
            let covered = unit.units.reduce(0) { $0 + $1.count }
            require(!unit.units.isEmpty && covered == unit.bytes.count, "NAL units cover the bytes")
            require(unit.decodeTime.ticks > lastDecode, "decode times rise")
            require(unit.presentationTime.ticks >= unit.decodeTime.ticks, "nothing is presented before it is decoded")
            require(
                unit.presentationTime.ticks <= max(ClockRate.video.ticks(inNanoseconds: now), lastDecode + 1),
                "nothing is captured after its arrival")
            lastDecode = unit.decodeTime.ticks
        }
    }
}
