import Media

/// Numbers a source's pictures, and notes when each goes into the encoder and comes out, also where effects or the encoder
/// hold some back. A pure value.
///
/// Numbers count from 0 what came and what was left out: at a test card, they are those in the picture (`TimestampOverlay`).
struct EncodeTimingRecorder {
    private var nextNumber: UInt32 = 0
    /// Newest last.
    private var arrivals: [(time: MediaTime, number: UInt32)] = []
    /// In the encoder, newest last.
    private var underWay: [(time: MediaTime, number: UInt32, begin: MonotonicTime)] = []

    /// Filters and encoders hold back 16 pictures each at most.
    private static let capacity = 64

    /// A picture has come, and `skipped` ones before it were left out.
    mutating func arrived(_ time: MediaTime, skipped: Int) {
        nextNumber &+= UInt32(truncatingIfNeeded: skipped)
        arrivals.append((time, nextNumber))
        arrivals.removeFirst(max(0, arrivals.count - Self.capacity))
        nextNumber &+= 1
    }

    /// The number of what the effects have made for a time: that of the newest picture until then.
    func number(at time: MediaTime) -> UInt32 {
        (arrivals.last { $0.time.ticks <= time.ticks } ?? arrivals.first)?.number ?? 0
    }

    /// The encoder is given what the effects have made for the time.
    mutating func begun(_ time: MediaTime, at now: MonotonicTime) {
        guard !arrivals.isEmpty else { return }
        underWay.append((time, number(at: time), now))
        underWay.removeFirst(max(0, underWay.count - Self.capacity))
    }

    /// The encoder has coded these.
    ///
    /// - Returns: the same with what is known of how.
    mutating func encoded(_ units: [AccessUnit], at now: MonotonicTime) -> [AccessUnit] {
        units.map { unit in
            guard let index = underWay.firstIndex(where: { $0.time == unit.presentationTime }) else { return unit }
            let (_, number, begin) = underWay[index]
            // Nothing is reordered: what went in before and has not come out never will.
            underWay.removeSubrange(...index)
            var unit = unit
            unit.encodeTiming = AccessUnit.EncodeTiming(frameNumber: number, begin: begin, end: now)
            return unit
        }
    }
}
