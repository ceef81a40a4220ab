import CFFmpeg
import Media

/// Changes frames with a chain of libavfilter filters, such as `hqdn3d,hflip`. Confined to one thread.
///
/// Usually one frame comes out for each that goes in, with the same time. Filters may hold back frames, leave some out
/// (`select`) or repeat them (`fps`). Input frames are only read. Output frames are either in libavfilter's memory, which it
/// reuses after the last reference is gone, or the input frames themselves.
///
/// Times are capture times, so a chain must not change them. After a gap the graph is rebuilt, because frames that it still
/// holds do not belong to the new ones, and because `fps` would fill the gap with old frames.
public final class VideoFilter {
    /// The width of output frames in pixels: even, at least 16.
    public let width: Int
    public let height: Int
    /// The frame rate of the output, as far as the filters declare it: `fps` does, `select` does not.
    public let frameRate: FrameRate

    private let makeGraph: () throws(CodecFailure) -> FilterGraph
    private var graph: FilterGraph
    private let inputWidth: Int
    private let inputHeight: Int
    /// For copies of frames whose memory their owner may overwrite while a filter still holds them.
    private let copies: VideoFramePool
    private let maximumGap: Int64
    private var lastInput: Int64?
    private var lastOutput: Int64?

    /// Builds the filters for frames of this size. This takes milliseconds, more if a filter loads a font or a file.
    ///
    /// - Parameter chain: in the syntax of `ffmpeg -vf`; an empty chain changes nothing.
    /// - Throws: if the chain cannot be used on such frames, with libavfilter's message and a remedy.
    public init(
        _ chain: String, width: Int, height: Int, frameRate: FrameRate
    ) throws(CodecFailure) {
        let makeGraph = { () throws(CodecFailure) -> FilterGraph in
            try explainingFailure { () throws(CodecFailure) in
                try FilterGraph(chain, width: width, height: height, frameRate: frameRate)
            }
        }
        let graph = try makeGraph()
        (self.makeGraph, self.graph) = (makeGraph, graph)
        (inputWidth, inputHeight) = (width, height)
        (self.width, self.height, self.frameRate) = (graph.width, graph.height, graph.frameRate)
        copies = VideoFramePool(width: width, height: height)
        maximumGap = max(Self.second, 3 * Self.second * Int64(frameRate.denominator) / Int64(frameRate.numerator))
        guard VideoFrame.canHold(width: graph.width, height: graph.height) else {
            throw CodecFailure(
                reason: "the filters output frames of \(graph.width)×\(graph.height), which cannot be encoded",
                remedy:
                    "end them with a scale or a crop to an even width and height from 16 to \(VideoFrame.maximumSideLength)"
            )
        }
    }

    /// Filters one frame of the input size.
    ///
    /// - Parameter time: the capture time, at any clock rate.
    /// - Returns: the frames that are ready, oldest first, at most 16, with times at the same clock rate.
    /// - Throws: if a filter fails, ends the stream, or changes times or sizes. The filter cannot be used afterwards.
    public func apply(
        _ frame: VideoFrame, at time: MediaTime
    ) throws(CodecFailure) -> [(frame: VideoFrame, time: MediaTime)] {
        guard frame.width == inputWidth, frame.height == inputHeight else {
            throw CodecFailure(
                reason:
                    "a frame of \(frame.width)×\(frame.height) was sent to filters for \(inputWidth)×\(inputHeight)",
                remedy: "scale it first")
        }
        let ticks = time.rate == .video ? time.ticks : MediaTime(nanoseconds: time.nanoseconds, rate: .video).ticks
        try restartAfterGap(before: ticks)
        let ready = try explainingFailure { () throws(CodecFailure) in
            // Copies the frame if its memory may change while a filter holds it.
            try graph.push(frame.owned(copies).reference, ticks: ticks)
            return try newest()
        }
        var frames: [(frame: VideoFrame, time: MediaTime)] = []
        for (frame, instant) in ready {
            let instant = try captureTime(instant ?? ticks, near: ticks)
            try check(frame)
            // The second of two frames with one time is dropped.
            if let lastOutput, instant <= lastOutput { continue }
            lastOutput = instant
            frames.append((try VideoFrame(frame), time.advanced(byVideoTicks: instant - ticks)))
        }
        return frames
    }
}

// MARK: - Input

extension VideoFilter {
    private static let second: Int64 = 90_000

    private func restartAfterGap(before ticks: Int64) throws(CodecFailure) {
        defer { lastInput = ticks }
        guard let lastInput, !(lastInput...lastInput + maximumGap).contains(ticks) else { return }
        graph = try makeGraph()
        lastOutput = nil
    }
}

// MARK: - Output

extension VideoFilter {
    /// More frames than this come out at once only after a gap was filled. Frames must not queue, so the newest are kept.
    private static let maximumAtOnce = 16
    /// More frames than this come out at once only from an unlimited source within the chain.
    private static let maximumPerFrame = 1000

    private func newest() throws(CodecFailure) -> [(frame: FrameReference, ticks: Int64?)] {
        var newest: [(frame: FrameReference, ticks: Int64?)] = []
        for _ in 0..<Self.maximumPerFrame {
            guard let next = try graph.pull() else { return newest }
            if newest.count == Self.maximumAtOnce { newest.removeFirst() }
            newest.append(next)
        }
        throw CodecFailure(
            reason: "the filters output frames without end, whatever their input",
            remedy: "connect their input to their output")
    }

    private func captureTime(_ time: Int64, near ticks: Int64) throws(CodecFailure) -> Int64 {
        // Filters hold back a few frames at most, and fps rounds by half a frame interval.
        guard (ticks - 10 * Self.second...ticks + 2 * Self.second).contains(time) else {
            throw CodecFailure(
                reason: "the filters change the times of frames",
                remedy: "leave out setpts and other filters that change times")
        }
        return time
    }

    private func check(_ frame: FrameReference) throws(CodecFailure) {
        let output = frame.pointer.pointee
        guard output.width == width, output.height == height, output.format == AV_PIX_FMT_YUV420P.rawValue else {
            throw CodecFailure(
                reason: "the filters changed the frame size from \(width)×\(height) to "
                    + "\(output.width)×\(output.height)",
                remedy: "use filters that keep one frame size")
        }
    }
}

// MARK: - Failures

/// Runs `body`. If it fails, the reason is what the libraries logged meanwhile; their lines stay out of the log.
private func explainingFailure<Result>(
    _ body: () throws(CodecFailure) -> Result
) throws(CodecFailure) -> Result {
    do throws(CodecFailure) {
        return try CodecLog.capturing("the filters", reasonFrom: .lastThenFirst, body)
    } catch {
        guard error.remedy.isEmpty else { throw error }
        let isFontMissing = ["valid font", "font filename", "load font", "fontconfig"].contains {
            error.reason.contains($0)
        }
        throw CodecFailure(
            reason: error.reason,
            remedy: isFontMissing
                ? "install a font, as the package fonts-dejavu-core, or name one with fontfile"
                : "`ffmpeg -filters` lists the names, and `ffmpeg -h filter=NAME` the options of one")
    }
}

extension MediaTime {
    /// The time `ticks` of 90 kHz later, some seconds at most; exact if the difference is 0.
    fileprivate func advanced(byVideoTicks count: Int64) -> Self {
        Self(ticks: ticks + count * Int64(rate.hertz) / Int64(ClockRate.video.hertz), rate: rate)
    }
}
