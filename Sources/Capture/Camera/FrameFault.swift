/// Why a frame of a camera's was let go, or its time not believed.
enum FrameFault: String, CaseIterable, Sendable {
    /// The driver marked it.
    case damaged = "the driver says that it is damaged"
    case empty = "it is empty"
    /// Fewer bytes than its format and size need.
    case short = "it is shorter than a picture of its size"
    /// A JPEG picture without its end.
    case truncated = "its end is missing"
    /// A JPEG picture of another size than was agreed.
    case otherSize = "it has another size than was agreed"
    case undecodable = "it cannot be decoded"
    /// The driver's time runs backwards, lies ahead, or long ago; the frame is kept.
    case time = "its time jumps; the time of its arrival is taken"
}

/// How often each fault was seen, and which is worth a line in the log: the first, and then at most one a minute.
struct FrameFaultCounts: Sendable {
    private static let reportInterval: Int64 = 60_000_000_000

    private(set) var counts: [FrameFault: Int] = [:]
    private var lastReport: [FrameFault: Int64] = [:]

    /// Counts a fault; answers whether to tell it.
    ///
    /// - Parameter now: nanoseconds on any clock that rises.
    mutating func note(_ fault: FrameFault, at now: Int64) -> Bool {
        counts[fault, default: 0] += 1
        if let last = lastReport[fault], now - last < Self.reportInterval { return false }
        lastReport[fault] = now
        return true
    }

    func count(of fault: FrameFault) -> Int { counts[fault] ?? 0 }
}
