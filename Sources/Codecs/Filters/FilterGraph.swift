import CFFmpeg

/// A graph of libavfilter's with one input and one output, both I420. Confined to one thread.
///
/// It is the bare graph: `VideoFilter` guards times and sizes, and builds it anew. Times are ticks of 90 kHz.
final class FilterGraph {
    /// Of the pictures that come out, in pixels.
    private(set) var width = 0
    private(set) var height = 0
    /// As far as the filters tell; they may drop pictures (`select`) without saying so.
    private(set) var frameRate: VideoEncoder.FrameRate

    private var graph: UnsafeMutablePointer<AVFilterGraph>?
    private var source: UnsafeMutablePointer<AVFilterContext>?
    private var sink: UnsafeMutablePointer<AVFilterContext>?
    /// A further reference to the picture that goes in, so that its owner's stays as it is.
    private let input: FrameReference

    /// Builds and configures it for pictures of this size: milliseconds, more where a filter loads a font or a file, and
    /// some twenty for the first graph of all, for which libavfilter is loaded.
    init(_ chain: String, width: Int, height: Int, frameRate: VideoEncoder.FrameRate) throws(CodecFailure) {
        // First of all, since `deinit` calls it too.
        try Self.loadLibrary()
        input = try FrameReference()
        self.frameRate = frameRate
        graph = avfilter_graph_alloc()
        guard let graph else { throw .outOfMemory }
        // As many as code the picture: whoever filters waits for each, so more would only take turns with others.
        graph.pointee.nb_threads = 2
        let filters = try FilterChain(parsing: chain, into: graph)
        source = try add(
            "buffer",
            "video_size=\(width)x\(height):pix_fmt=yuv420p:time_base=1/\(Self.ticksPerSecond)"
                + ":frame_rate=\(frameRate.numerator)/\(frameRate.denominator)")
        let format = try add("format", "pix_fmts=yuv420p")
        sink = try add("buffersink")
        try link(.init(source), to: filters.input)
        try link(filters.output, to: .init(format))
        try link(.init(format), to: .init(sink))
        let status = avfilter_graph_config(graph, nil)
        guard status >= 0 else { throw CodecFailure("the filters do not fit together", code: status) }
        (self.width, self.height) = (Int(av_buffersink_get_w(sink)), Int(av_buffersink_get_h(sink)))
        let rate = av_buffersink_get_frame_rate(sink)
        self.frameRate = VideoEncoder.FrameRate(rate.num, rate.den) ?? frameRate
    }

    deinit {
        avfilter_graph_free(&graph)
    }

    private static let ticksPerSecond: CInt = 90_000

    private static func loadLibrary() throws(CodecFailure) {
        guard let reason = apus_load_libavfilter() else { return }
        throw CodecFailure(
            reason: "effects need libavfilter, which cannot be loaded: \(String(cString: reason))",
            remedy: "install it, as the package libavfilter\(LIBAVFILTER_VERSION_MAJOR), or leave out effects")
    }

    private func add(_ name: String, _ options: String = "") throws(CodecFailure) -> FilterChain.Filter {
        var filter: FilterChain.Filter?
        let status = avfilter_graph_create_filter(
            &filter, avfilter_get_by_name(name), "apus_\(name)", options, nil, graph)
        guard status >= 0, let filter else { throw CodecFailure("\(name) cannot be made", code: status) }
        return filter
    }

    private func link(_ output: FilterChain.End, to input: FilterChain.End) throws(CodecFailure) {
        let status = avfilter_link(output.filter, output.pad, input.filter, input.pad)
        guard status >= 0 else {
            throw CodecFailure("\(output.name) cannot be followed by \(input.name)", code: status)
        }
    }
}

// MARK: - Pictures

extension FilterGraph {
    /// Hands a picture to the first filter, which shares it: one that would write into it makes its own copy.
    func push(_ frame: FrameReference, ticks: Int64) throws(CodecFailure) {
        defer { av_frame_unref(input.pointer) }
        guard av_frame_ref(input.pointer, frame.pointer) >= 0 else { throw .outOfMemory }
        input.pointer.pointee.pts = ticks
        // Said or not said, what a chain takes through RGB is to come back by the matrix by which it went.
        input.pointer.pointee.color_range = AVCOL_RANGE_UNSPECIFIED
        input.pointer.pointee.colorspace = AVCOL_SPC_UNSPECIFIED
        let status = av_buffersrc_add_frame_flags(source, input.pointer, 0)
        guard status >= 0 else { throw failure(status) }
    }

    /// The next picture that is ready and its time, where it has one; `nil` until more goes in.
    func pull() throws(CodecFailure) -> (frame: FrameReference, ticks: Int64?)? {
        let frame = try FrameReference()
        let status = av_buffersink_get_frame(sink, frame.pointer)
        if status == apus_averror_eagain { return nil }
        guard status >= 0 else { throw failure(status) }
        let time = frame.pointer.pointee.pts
        guard time != apus_nopts else { return (frame, nil) }
        // A filter may count in units of its own: fps counts pictures.
        let ticks = AVRational(num: 1, den: Self.ticksPerSecond)
        return (frame, av_rescale_q(time, av_buffersink_get_time_base(sink), ticks))
    }

    private func failure(_ status: CInt) -> CodecFailure {
        guard status == apus_averror_eof else { return CodecFailure("a filter fails", code: status) }
        return CodecFailure(
            reason: "the filters have ended the stream", remedy: "leave out trim, and what else ends pictures")
    }
}
