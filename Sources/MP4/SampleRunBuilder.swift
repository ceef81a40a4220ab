import Media

/// Puts the samples of successive units of one track into a run.
struct SampleRunBuilder {
    private let track: MovieTrack
    /// `nil` before the first sample.
    private(set) var run: SampleRun?
    /// The decode time of the last sample in ticks of the stream, and where it ends.
    private var last: (decode: Int64, end: Int64) = (0, 0)

    init(_ track: MovieTrack) {
        self.track = track
    }

    /// Appends the samples of `unit`, one after the other.
    ///
    /// - Parameter times: the decode time of the first sample and the duration of the last.
    mutating func append(_ unit: AccessUnit, sampleCount: Int, _ times: SampleClock.Times) {
        if run == nil { last.end = times.decode } else { endLast(at: times.decode) }
        let offset = unit.presentationTime.ticks &- last.end
        for index in 0..<sampleCount {
            let isLast = index == sampleCount - 1
            let duration = isLast ? times.duration : track.framing.duration(ofSample: index, in: unit) ?? 1
            append(
                Sample(
                    unit: unit, index: index,
                    byteCount: UInt32(truncatingIfNeeded: track.framing.byteCount(ofSample: index, in: unit)),
                    duration: UInt32(clamping: duration), compositionOffset: Int32(clamping: offset),
                    isSync: unit.isKeyframe || track.hasOnlySyncSamples))
            last = (last.end, last.end &+ duration)
        }
    }

    /// In a run, decode times are sums of durations (ISO/IEC 14496-12, 8.8.8), so the last sample lasts up to the next.
    private mutating func endLast(at decode: Int64) {
        let duration = min(max(decode &- last.decode, 1), Int64(Int32.max))
        run?.setLastDuration(UInt32(duration))
        last.end = last.decode &+ duration
    }

    private mutating func append(_ sample: Sample) {
        if run == nil {
            run = SampleRun(track, decodeTime: MediaTime(ticks: last.end, rate: track.clockRate), sample)
        } else {
            run?.append(sample)
        }
    }
}
