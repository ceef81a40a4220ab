/// The settings of one direction over time. Times are nanoseconds since the relay's first packet.
public struct Timetable: Equatable, Sendable {
    /// Settings and the time from which they hold.
    public struct Entry: Equatable, Sendable {
        public let startNanoseconds: Int64
        public let settings: Impairments
    }

    /// In order of time; the first entry starts at 0.
    public let entries: [Entry]

    /// The same settings for ever.
    public init(_ settings: Impairments) {
        entries = [Entry(startNanoseconds: 0, settings: settings)]
    }

    /// - Parameter entries: In strictly rising order of time; the first starts at 0.
    init(entries: [Entry]) {
        precondition(entries.first?.startNanoseconds == 0, "the first entry starts at 0")
        self.entries = entries
    }

    /// The settings at `time`.
    public func settings(at time: Int64) -> Impairments {
        entries[index(at: time)].settings
    }

    /// The time at which the bottleneck has sent `byteCount` bytes if it starts at `start`, also across changes of the rate.
    /// Without a rate limit, this is the start.
    func sendingEnd(of byteCount: Int, from start: Int64) -> Int64 {
        var (time, bits) = (start, Double(byteCount) * 8)
        for index in index(at: start)..<entries.count {
            guard let limit = entries[index].settings.rateLimit else { return time }
            let rate = Double(limit.bitsPerSecond) / 1e9
            // Rounded up, so that the rate is never exceeded.
            let end = time + Int64((bits / rate).rounded(.up))
            guard index + 1 < entries.count, entries[index + 1].startNanoseconds < end else { return end }
            bits -= rate * Double(entries[index + 1].startNanoseconds - time)
            time = entries[index + 1].startNanoseconds
        }
        return time
    }

    private func index(at time: Int64) -> Int {
        entries.lastIndex { $0.startNanoseconds <= time } ?? 0
    }
}
