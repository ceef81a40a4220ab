import Media

/// Numbers the frames of a source and records when each enters and leaves the encoder, even if filters or the encoder hold
/// frames back. A pure value.
///
/// Numbers start at 0 and include dropped frames. For a test card they equal the numbers in the image (`TimestampOverlay`).
struct EncodeTimingRecorder {
    private var nextNumber: UInt32 = 0
    /// The frames that have arrived, newest last.
    private var arrivals: [(time: MediaTime, number: UInt32)] = []
    /// The frames in the encoder, newest last.
    private var inEncoder: [(time: MediaTime, number: UInt32, begin: MonotonicTime)] = []

    /// Filters and encoders hold back at most 16 frames each.
    private static let capacity = 64

    /// A frame has arrived, after `skipped` dropped ones.
    mutating func arrived(_ time: MediaTime, skipped: Int) {
        nextNumber &+= UInt32(truncatingIfNeeded: skipped)
        arrivals.append((time, nextNumber))
        arrivals.removeFirst(max(0, arrivals.count - Self.capacity))
        nextNumber &+= 1
    }

    /// The number of a filtered frame: that of the newest frame that arrived at or before its time.
    func number(at time: MediaTime) -> UInt32 {
        (arrivals.last { $0.time.ticks <= time.ticks } ?? arrivals.first)?.number ?? 0
    }

    /// The encoder has received the frame with this time, after the filters.
    mutating func begun(_ time: MediaTime, at now: MonotonicTime) {
        guard !arrivals.isEmpty else { return }
        inEncoder.append((time, number(at: time), now))
        inEncoder.removeFirst(max(0, inEncoder.count - Self.capacity))
    }

    /// The encoder has output these units.
    ///
    /// - Returns: the units with their encode timing, if it is known.
    mutating func encoded(_ units: [AccessUnit], at now: MonotonicTime) -> [AccessUnit] {
        units.map { unit in
            guard let index = inEncoder.firstIndex(where: { $0.time == unit.presentationTime }) else { return unit }
            let (_, number, begin) = inEncoder[index]
            // Frames are not reordered, so earlier frames that are still missing were lost.
            inEncoder.removeSubrange(...index)
            var unit = unit
            unit.encodeTiming = AccessUnit.EncodeTiming(frameNumber: number, begin: begin, end: now)
            return unit
        }
    }
}
