import CFFmpeg
import Media

/// Changes pictures by a chain of libavfilter's filters, `hqdn3d,hflip`. Confined to one thread.
///
/// Mostly one picture comes out for one that goes in, at its time; filters may hold some back, leave some out (`select`) or
/// repeat them (`fps`). Pictures that go in are only read. Those that come out are in libavfilter's memory, which it uses
/// again when nobody holds them, or are the very ones that went in.
///
/// Times are those of capture, so a chain may not make up its own. After a gap it begins anew, for nothing that it has kept
/// belongs to what follows, and `fps` would fill the gap with pictures of the past.
public final class VideoFilter {
    /// Of the pictures that come out, in pixels: even, from 16 on.
    public let width: Int
    public let height: Int
    /// Of the pictures that come out, as far as the filters tell: `fps` does, `select` does not.
    public let frameRate: VideoEncoder.FrameRate

    private let makeGraph: () throws(CodecFailure) -> FilterGraph
    private var graph: FilterGraph
    private let inputWidth: Int
    private let inputHeight: Int
    /// For pictures in memory that others will write to while a filter may still hold them.
    private let copies: VideoFramePool
    private let maximumGap: Int64
    private var lastInput: Int64?
    private var lastOutput: Int64?

    /// Builds the filters for pictures of this size: milliseconds, more where a filter loads a font or a file.
    ///
    /// - Parameter chain: as `ffmpeg -vf` takes it; one that is empty changes nothing.
    /// - Throws: in libavfilter's words, with what to do, where the chain cannot be used on such pictures.
    public init(
        _ chain: String, width: Int, height: Int, frameRate: VideoEncoder.FrameRate
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
                reason: "the filters make pictures of \(graph.width)×\(graph.height), which cannot be encoded",
                remedy:
                    "end them with a scale or a crop to an even width and height from 16 to \(VideoFrame.maximumSideLength)"
            )
        }
    }

    /// What becomes of one picture of the size that was told.
    ///
    /// - Parameter time: when it was captured, on any clock rate.
    /// - Returns: what is ready, oldest first, 16 at most, with times on the same clock.
    /// - Throws: when a filter fails, ends the stream, or makes up times or sizes. It is of no further use then.
    public func apply(
        _ frame: VideoFrame, at time: MediaTime
    ) throws(CodecFailure) -> [(frame: VideoFrame, time: MediaTime)] {
        guard frame.width == inputWidth, frame.height == inputHeight else {
            throw CodecFailure(
                reason: "a picture of \(frame.width)×\(frame.height) came to filters for \(inputWidth)×\(inputHeight)",
                remedy: "scale it first")
        }
        let ticks = time.rate == .video ? time.ticks : MediaTime(nanoseconds: time.nanoseconds, rate: .video).ticks
        try restartAfterGap(before: ticks)
        let ready = try explainingFailure { () throws(CodecFailure) in
            // However long a filter holds it, it stays as it is.
            try graph.push(frame.owned(copies).reference, ticks: ticks)
            return try newest()
        }
        var pictures: [(frame: VideoFrame, time: MediaTime)] = []
        for (frame, instant) in ready {
            let instant = try captureTime(instant ?? ticks, near: ticks)
            try check(frame)
            // Of two pictures at one time there is no use for the second.
            if let lastOutput, instant <= lastOutput { continue }
            lastOutput = instant
            pictures.append((try VideoFrame(frame), time.advanced(byVideoTicks: instant - ticks)))
        }
        return pictures
    }
}

// MARK: - What goes in

extension VideoFilter {
    private static let second: Int64 = 90_000

    private func restartAfterGap(before ticks: Int64) throws(CodecFailure) {
        defer { lastInput = ticks }
        guard let lastInput, !(lastInput...lastInput + maximumGap).contains(ticks) else { return }
        graph = try makeGraph()
        lastOutput = nil
    }
}

// MARK: - What comes out

extension VideoFilter {
    /// More at once come only of a gap that was filled: nothing may queue, so the newest win.
    private static let maximumAtOnce = 16
    /// More than this come only of a source within the chain that waits for nothing.
    private static let maximumPerFrame = 1000

    private func newest() throws(CodecFailure) -> [(frame: FrameReference, ticks: Int64?)] {
        var newest: [(frame: FrameReference, ticks: Int64?)] = []
        for _ in 0..<Self.maximumPerFrame {
            guard let next = try graph.pull() else { return newest }
            if newest.count == Self.maximumAtOnce { newest.removeFirst() }
            newest.append(next)
        }
        throw CodecFailure(
            reason: "the filters make pictures without end, whatever goes in",
            remedy: "connect their input with their output")
    }

    private func captureTime(_ time: Int64, near ticks: Int64) throws(CodecFailure) -> Int64 {
        // Filters hold back some pictures at most, and fps rounds by half a picture of its own.
        guard (ticks - 10 * Self.second...ticks + 2 * Self.second).contains(time) else {
            throw CodecFailure(
                reason: "the filters give pictures other times than those of capture",
                remedy: "leave out setpts, and what else changes times")
        }
        return time
    }

    private func check(_ frame: FrameReference) throws(CodecFailure) {
        let picture = frame.pointer.pointee
        guard picture.width == width, picture.height == height, picture.format == AV_PIX_FMT_YUV420P.rawValue else {
            throw CodecFailure(
                reason: "the filters have changed the picture from \(width)×\(height) to "
                    + "\(picture.width)×\(picture.height)",
                remedy: "let them make pictures of one size")
        }
    }
}

// MARK: - Failures

/// Runs `body`; what the libraries tell of a failure meanwhile is its reason, and not in the log.
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
                : "see `ffmpeg -filters` for their names, and `ffmpeg -h filter=NAME` for what one takes")
    }
}

extension MediaTime {
    /// The instant so many ticks of 90 kHz later, some seconds at most; exact where it is the same.
    fileprivate func advanced(byVideoTicks count: Int64) -> Self {
        Self(ticks: ticks + count * Int64(rate.hertz) / Int64(ClockRate.video.hertz), rate: rate)
    }
}
