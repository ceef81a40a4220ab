/// Why a camera's frame was dropped, or its time replaced.
enum FrameFault: String, CaseIterable, Sendable {
    /// The driver marked the frame as damaged.
    case damaged = "marked as damaged by the driver"
    case empty = "empty"
    /// Fewer bytes than its format and size need.
    case short = "too short for its size"
    /// A JPEG image without its end marker.
    case truncated = "truncated JPEG"
    /// A JPEG image of another size than negotiated.
    case otherSize = "another size than negotiated"
    case undecodable = "cannot be decoded"
    /// The driver's time runs backwards, is in the future or long past; the frame is kept.
    case time = "implausible timestamp; the arrival time is used instead"
}

/// Counts faults by kind and limits their log messages: the first of a kind, then at most one a minute.
struct FrameFaultCounts: Sendable {
    private static let reportInterval: Int64 = 60_000_000_000

    private(set) var counts: [FrameFault: Int] = [:]
    private var lastReport: [FrameFault: Int64] = [:]

    /// Counts a fault.
    ///
    /// - Parameter now: nanoseconds on any monotonic clock.
    /// - Returns: whether to log the fault.
    mutating func note(_ fault: FrameFault, at now: Int64) -> Bool {
        counts[fault, default: 0] += 1
        if let last = lastReport[fault], now - last < Self.reportInterval { return false }
        lastReport[fault] = now
        return true
    }

    func count(of fault: FrameFault) -> Int { counts[fault] ?? 0 }
}
