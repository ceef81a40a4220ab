import Media

/// What the newest packets of a viewer's track carried, so that a lost one can be sent again from the feed's ring, without a copy.
///
/// Sequence numbers stay contiguous across skipped units and a fast start, so a number alone does not tell which packet it had. An
/// entry stands for consecutive packets of one run; 64 entries are the last two seconds of a video of 30 frames per second. A plain
/// value of 1 kB that allocates nothing after its creation.
public struct SentLedger: Sendable {
    /// Where a run is that packets were sent from.
    public enum RunPlace: Hashable, Sendable {
        /// In the feed, with its index there.
        case feed(Int64)
        /// In the viewer's fast start, with its index there.
        case fastStart(Int)
    }

    /// A packet that was sent.
    public struct Packet: Hashable, Sendable {
        public let run: RunPlace
        /// The index of the packet in its run.
        public let index: Int
        /// When it was handed to the kernel, to the millisecond.
        public let sentAt: MonotonicTime
    }

    private struct Entry {
        /// The low 32 bits of the run's index.
        var run: UInt32 = 0
        /// The low 32 bits of the milliseconds.
        var sentAt: UInt32 = 0
        /// The sequence number of the first packet.
        var first = SequenceNumber(0)
        /// The index of the first packet in its run.
        var offset: UInt16 = 0
        /// How many packets; 0 in an unused entry.
        var count: UInt16 = 0
        var isFastStart = false
    }

    private static let capacity = 64

    private var entries = [Entry](repeating: Entry(), count: capacity)
    /// The index of the newest entry.
    private var newest = 0

    public init() {}

    /// Records `count` packets that were handed over, from the packet `offset` of a run on. Packets of one run that follow each
    /// other in the same millisecond share an entry.
    public mutating func record(
        _ first: SequenceNumber, count: Int, of run: RunPlace, from offset: Int, at now: MonotonicTime
    ) {
        let (index, isFastStart) = Self.index(of: run)
        let sentAt = UInt32(truncatingIfNeeded: now.nanoseconds / 1_000_000)
        let last = entries[newest]
        if last.count > 0, last.run == index, last.sentAt == sentAt, last.isFastStart == isFastStart,
            Int(last.offset) + Int(last.count) == offset,
            last.first.advanced(by: Int(last.count)) == first
        {
            entries[newest].count &+= UInt16(truncatingIfNeeded: count)
            return
        }
        if last.count > 0 { newest = (newest + 1) % Self.capacity }
        entries[newest] = Entry(
            run: index, sentAt: sentAt, first: first,
            offset: UInt16(truncatingIfNeeded: offset), count: UInt16(truncatingIfNeeded: count),
            isFastStart: isFastStart)
    }

    /// Removes the newest `count` packets, because the kernel did not take them.
    public mutating func rollBack(_ count: Int) {
        var rest = count
        while rest > 0, entries[newest].count > 0 {
            let removed = min(rest, Int(entries[newest].count))
            entries[newest].count -= UInt16(removed)
            rest -= removed
            if entries[newest].count == 0 { newest = (newest + Self.capacity - 1) % Self.capacity }
        }
    }

    /// Forgets all packets, because their runs cannot be found any more.
    public mutating func removeAll() {
        for index in entries.indices { entries[index].count = 0 }
    }

    /// The packet that had a sequence number; `nil` if it was never sent, or too long ago.
    ///
    /// - Parameters:
    ///   - endIndex: the index after the newest run of the feed, less than 2³¹ after the packet's.
    ///   - now: less than 49 days after the packet.
    public func packet(_ number: SequenceNumber, endIndex: Int64, at now: MonotonicTime) -> Packet? {
        for age in 0..<Self.capacity {
            let entry = entries[(newest + Self.capacity - age) % Self.capacity]
            let distance = number.distance(from: entry.first)
            guard entry.count > 0 else { return nil }
            guard distance >= 0, distance < Int(entry.count) else { continue }
            return Packet(
                run: entry.isFastStart
                    ? .fastStart(Int(entry.run)) : .feed(Self.whole(entry.run, before: endIndex)),
                index: Int(entry.offset) + distance,
                sentAt: Self.whole(entry.sentAt, before: now))
        }
        return nil
    }

    /// When the oldest packets that it knows were sent, less than 49 days ago; `nil` if it knows none.
    public func oldest(at now: MonotonicTime) -> MonotonicTime? {
        (1...Self.capacity).lazy.map { entries[(newest + $0) % Self.capacity] }.first { $0.count > 0 }
            .map { Self.whole($0.sentAt, before: now) }
    }

    private static func index(of run: RunPlace) -> (UInt32, isFastStart: Bool) {
        switch run {
        case .feed(let index): (UInt32(truncatingIfNeeded: index), false)
        case .fastStart(let index): (UInt32(truncatingIfNeeded: index), true)
        }
    }

    /// The time of an entry, from the low 32 bits of its milliseconds: the latest one that is not after `now`.
    private static func whole(_ low: UInt32, before now: MonotonicTime) -> MonotonicTime {
        let milliseconds = now.nanoseconds / 1_000_000
        let elapsed = UInt32(truncatingIfNeeded: milliseconds) &- low
        return MonotonicTime(nanoseconds: (milliseconds - Int64(elapsed)) * 1_000_000)
    }

    /// The largest index up to `endIndex` with these low bits.
    private static func whole(_ low: UInt32, before endIndex: Int64) -> Int64 {
        endIndex - Int64(UInt32(truncatingIfNeeded: endIndex) &- low)
    }
}
