import Media

/// Computes the times of a pipe's frames from their arrival and, if frames are reordered, from their order.
///
/// Without reordering, both times are the arrival of the frame's first byte, at least one tick after the previous frame. With
/// reordering, decode times follow the arrivals smoothly at one frame interval, and presentation times follow the picture order
/// count.
struct PipeTimeline: Sendable {
    /// The assumed frame interval until the stream states it or it was measured: 25 per second.
    static let defaultInterval: Int64 = 40_000_000
    /// A larger difference means that the writer has paused or caught up; the times restart at the arrival.
    private static let tolerance: Int64 = 200_000_000

    private var order = H264.PresentationOrder()
    private var lastDecodeTicks = Int64.min
    private var lastPresentationTicks: Int64 = 0
    private var lastArrival: Int64?
    private var smoothed: Int64?
    private var measuredInterval = defaultInterval
    private(set) var interval = defaultInterval

    /// The times of a new frame; its further parts have the same (`partTimes`).
    mutating func times(
        ofFrameAt arrival: Int64, slice: H264.SliceHeader?, in sets: H264.ParameterSetTracker
    ) -> (decode: MediaTime, presentation: MediaTime) {
        measure(arrival)
        let sequence = slice?.picture.flatMap { sets.sequenceSet($0.sequenceID) } ?? sets.firstSequenceSet
        interval = sequence?.usability?.timing?.frameNanoseconds ?? measuredInterval
        var fields = 0
        if let slice, let sequence { fields = order.fields(of: slice, in: sequence) }
        let instant = order.isReordered ? smooth(arrival) : arrival
        let ticks = ClockRate.video.ticks(inNanoseconds: instant)
        lastDecodeTicks = max(ticks, lastDecodeTicks == .min ? ticks : lastDecodeTicks + 1)
        // No overflow: at most 64 fields of at most 10 s.
        let delay = ClockRate.video.ticks(inNanoseconds: Int64(fields) * interval / 2)
        lastPresentationTicks = lastDecodeTicks + delay
        return partTimes
    }

    var partTimes: (decode: MediaTime, presentation: MediaTime) {
        (MediaTime(ticks: lastDecodeTicks, rate: .video), MediaTime(ticks: lastPresentationTicks, rate: .video))
    }

    private mutating func measure(_ arrival: Int64) {
        if let lastArrival, (1_000_000...1_000_000_000).contains(arrival &- lastArrival) {
            measuredInterval += (arrival - lastArrival - measuredInterval) / 16
        }
        lastArrival = arrival
    }

    private mutating func smooth(_ arrival: Int64) -> Int64 {
        guard let last = smoothed else {
            smoothed = arrival
            return arrival
        }
        let expected = last &+ interval
        let error = arrival &- expected
        let instant = abs(error) > Self.tolerance ? arrival : expected &+ error / 8
        smoothed = instant
        return instant
    }
}
