import Codecs
import Muxing

/// The times of a file's decoded frames, for an encoder, which requires rising times. A pure value.
struct FrameTimes {
    /// The usual time from frame to frame, in nanoseconds.
    let interval: Int64
    /// The time of the next frame if it has none of its own.
    private var next = Int64.min
    private var last = Int64.min

    init(of source: DemuxedTrack) {
        interval =
            source.frameNanoseconds.map { min(max($0, 1_000_000), 1_000_000_000) } ?? PipeTimeline.defaultInterval
    }

    var frameRate: FrameRate { FrameRate(Int32(1_000_000_000_000 / interval), 1000) ?? .thirty }

    /// Whether no frame has been taken yet.
    var isAtStart: Bool { last == .min }

    /// The time of a frame in nanoseconds; `nil` if the frame must be dropped, because it is not later than the one before it.
    ///
    /// - Parameter offset: added to the time that the frame has of its own.
    mutating func time(of frame: DecodedVideoFrame, offset: Int64) -> Int64? {
        let time = frame.presentationTime.map { $0 &+ offset } ?? max(next, offset)
        next = time &+ interval
        guard time > last else { return nil }
        last = time
        return time
    }
}
