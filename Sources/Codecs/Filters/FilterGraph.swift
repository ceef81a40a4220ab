import CFFmpeg

/// A libavfilter graph with one input and one output, both I420. Confined to one thread.
///
/// `VideoFilter` checks times and sizes and rebuilds the graph if necessary. Times are in ticks of 90 kHz.
final class FilterGraph {
    /// The output size in pixels.
    private(set) var width = 0
    private(set) var height = 0
    /// The output frame rate, as far as the filters declare it. Filters that drop frames (`select`) may not declare it.
    private(set) var frameRate: FrameRate

    private var graph: UnsafeMutablePointer<AVFilterGraph>?
    private var source: UnsafeMutablePointer<AVFilterContext>?
    private var sink: UnsafeMutablePointer<AVFilterContext>?
    /// Holds a further reference to the input frame, so that the owner's reference stays unchanged.
    private let input: FrameReference

    /// Builds and configures the graph for frames of this size. This takes milliseconds, more if a filter loads a font or a file,
    /// and some twenty milliseconds for the first graph of the process because libavfilter must be loaded.
    init(_ chain: String, width: Int, height: Int, frameRate: FrameRate) throws(CodecFailure) {
        // This comes first because `deinit` calls libavfilter too.
        try Self.loadLibrary()
        input = try FrameReference()
        self.frameRate = frameRate
        graph = avfilter_graph_alloc()
        guard let graph else { throw .outOfMemory }
        // As many threads as the encoder has: encoder and filters run in turn, so more threads would only compete.
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
        self.frameRate = FrameRate(rate.num, rate.den) ?? frameRate
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

// MARK: - Frames

extension FilterGraph {
    /// Sends a frame to the first filter and shares its memory. A filter that writes makes its own copy.
    func push(_ frame: FrameReference, ticks: Int64) throws(CodecFailure) {
        defer { av_frame_unref(input.pointer) }
        guard av_frame_ref(input.pointer, frame.pointer) >= 0 else { throw .outOfMemory }
        input.pointer.pointee.pts = ticks
        // Colour properties stay unspecified, so that a chain that converts to RGB and back uses one matrix both ways.
        input.pointer.pointee.color_range = AVCOL_RANGE_UNSPECIFIED
        input.pointer.pointee.colorspace = AVCOL_SPC_UNSPECIFIED
        let status = av_buffersrc_add_frame_flags(source, input.pointer, 0)
        guard status >= 0 else { throw failure(status) }
    }

    /// The next frame that is ready, and its time if it has one; `nil` if more input is needed.
    func pull() throws(CodecFailure) -> (frame: FrameReference, ticks: Int64?)? {
        let frame = try FrameReference()
        let status = av_buffersink_get_frame(sink, frame.pointer)
        if status == apus_averror_eagain { return nil }
        guard status >= 0 else { throw failure(status) }
        let time = frame.pointer.pointee.pts
        guard time != apus_nopts else { return (frame, nil) }
        // A filter may use its own time base: fps counts frames.
        let ticks = AVRational(num: 1, den: Self.ticksPerSecond)
        return (frame, av_rescale_q(time, av_buffersink_get_time_base(sink), ticks))
    }

    private func failure(_ status: CInt) -> CodecFailure {
        guard status == apus_averror_eof else { return CodecFailure("a filter fails", code: status) }
        return CodecFailure(
            reason: "the filters have ended the stream", remedy: "leave out trim and other filters that end the stream")
    }
}
