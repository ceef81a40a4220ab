import Media

/// The reception statistics of one source (RFC 3550, A.1, A.3 and A.8).
public struct ReceptionStatistics: Sendable {
    /// Packets in sequence before a source is accepted (A.1: MIN_SEQUENTIAL).
    private static let minimumSequential = 2
    /// A larger step forward is a restart of the sender (A.1: MAX_DROPOUT).
    private static let maximumDropout = 3000
    /// A smaller step back is a late packet (A.1: MAX_MISORDER).
    private static let maximumMisorder = 100

    private let clockRate: ClockRate
    private var base: SequenceNumber?
    private var highest = SequenceNumber(0)
    private var wraps: UInt32 = 0
    private var probation = minimumSequential
    private var suspectedRestart: SequenceNumber?
    private var expectedAtLastReport: Int64 = 0
    private var receivedAtLastReport: Int64 = 0
    private var lastTransit: UInt32?
    /// Sixteen times the jitter, as in A.8, to avoid rounding errors.
    private var scaledJitter: Int64 = 0
    private var lastSenderReport: (ntpTime: NTPTime, arrival: MonotonicTime)?

    /// Packets received since the source was accepted or restarted.
    public private(set) var receivedCount: Int64 = 0

    /// Packets that came after one with a higher number.
    public private(set) var reorderedCount: Int64 = 0

    public init(clockRate: ClockRate) {
        self.clockRate = clockRate
    }

    /// In ticks of the RTP clock.
    public var jitter: UInt32 { UInt32(truncatingIfNeeded: scaledJitter >> 4) }

    /// The highest sequence number in the low 16 bits, its wraps in the high 16 bits.
    public var extendedHighestSequenceNumber: UInt32 { wraps &+ UInt32(highest.rawValue) }

    /// Packets expected so far.
    public var expectedCount: Int64 {
        guard let base, probation == 0 else { return 0 }
        return Int64(extendedHighestSequenceNumber) - Int64(base.rawValue) + 1
    }

    /// Expected minus received; negative if packets came twice.
    public var cumulativeLost: Int64 { expectedCount - receivedCount }

    /// Counts a packet. Returns false while the source is on probation, or if the sequence number is implausible.
    @discardableResult
    public mutating func received(
        _ number: SequenceNumber, rtpTimestamp: UInt32, arrival: MonotonicTime
    ) -> Bool {
        guard accept(number) else { return false }
        receivedCount += 1
        measureJitter(rtpTimestamp: rtpTimestamp, arrival: arrival)
        return true
    }

    /// Counts a packet that was missing and was sent again on request. It says nothing about the network's order and jitter.
    public mutating func receivedRepair() {
        if probation == 0 { receivedCount += 1 }
    }

    /// Records a sender report, to which the next report block will refer.
    public mutating func received(_ report: SenderReport, arrival: MonotonicTime) {
        lastSenderReport = (report.ntpTime, arrival)
    }

    /// The report block for now. The loss fraction of the next block counts from here.
    public mutating func reportBlock(for ssrc: SSRC, now: MonotonicTime) -> ReportBlock {
        let (expected, received) = (expectedCount, receivedCount)
        let expectedInterval = expected - expectedAtLastReport
        let lostInterval = expectedInterval - (received - receivedAtLastReport)
        (expectedAtLastReport, receivedAtLastReport) = (expected, received)
        let fraction = expectedInterval > 0 && lostInterval > 0 ? min(255, lostInterval * 256 / expectedInterval) : 0
        return ReportBlock(
            ssrc: ssrc, fractionLost: UInt8(fraction),
            cumulativeLost: Int32(min(max(expected - received, -0x80_0000), 0x7F_FFFF)),
            extendedHighestSequenceNumber: extendedHighestSequenceNumber, jitter: jitter,
            lastSenderReport: lastSenderReport?.ntpTime.middle ?? 0,
            delaySinceLastSenderReport: delaySinceLastSenderReport(now))
    }

    private func delaySinceLastSenderReport(_ now: MonotonicTime) -> UInt32 {
        guard let arrival = lastSenderReport?.arrival else { return 0 }
        // Capped at the field's 18 hours, so the product stays far below 2⁶³.
        let nanoseconds = min(max(now - arrival, 0), 65_535_000_000_000)
        return UInt32(nanoseconds * 65_536 / 1_000_000_000)
    }

    // MARK: - Sequence numbers (A.1)

    private mutating func accept(_ number: SequenceNumber) -> Bool {
        guard base != nil else {
            begin(at: number)
            probation = Self.minimumSequential - 1
            return false
        }
        if probation > 0 { return continueProbation(number) }
        let step = Int(number.rawValue &- highest.rawValue)
        if step < Self.maximumDropout {
            if number.rawValue < highest.rawValue { wraps &+= 0x1_0000 }
            highest = number
            suspectedRestart = nil
        } else if step <= 0x1_0000 - Self.maximumMisorder {
            // Two packets in sequence after a large step: the sender has restarted without notice.
            guard suspectedRestart == number else {
                suspectedRestart = number.advanced(by: 1)
                return false
            }
            begin(at: number)
        } else {
            reorderedCount += 1
        }
        return true
    }

    private mutating func continueProbation(_ number: SequenceNumber) -> Bool {
        guard number == highest.advanced(by: 1) else {
            begin(at: number)
            probation = Self.minimumSequential - 1
            return false
        }
        probation -= 1
        guard probation == 0 else {
            highest = number
            return false
        }
        begin(at: number)
        return true
    }

    private mutating func begin(at number: SequenceNumber) {
        base = number
        highest = number
        wraps = 0
        suspectedRestart = nil
        (receivedCount, reorderedCount) = (0, 0)
        expectedAtLastReport = 0
        receivedAtLastReport = 0
        lastTransit = nil
    }

    // MARK: - Jitter (A.8)

    private mutating func measureJitter(rtpTimestamp: UInt32, arrival: MonotonicTime) {
        let arrivalTicks = clockRate.ticks(inNanoseconds: arrival.nanoseconds)
        let transit = UInt32(truncatingIfNeeded: arrivalTicks) &- rtpTimestamp
        defer { lastTransit = transit }
        guard let lastTransit else { return }
        // Timestamps wrap, so the difference is taken modulo 2³².
        let difference = Int32(bitPattern: transit &- lastTransit)
        scaledJitter += Int64(difference.magnitude) - ((scaledJitter + 8) >> 4)
    }
}
