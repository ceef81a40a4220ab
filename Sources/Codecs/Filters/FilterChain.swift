import CFFmpeg

/// The filters that a text names, in a graph of libavfilter's, and their two open ends.
///
/// A chain is what `ffmpeg -vf` takes: `hqdn3d,hflip`, or branches with labels, sources such as `movie` among them, as long
/// as one input and one output of pictures are left open.
struct FilterChain {
    typealias Filter = UnsafeMutablePointer<AVFilterContext>

    let input: End
    let output: End

    /// A pad of a filter to which nothing is connected yet.
    struct End {
        let filter: Filter?
        let pad: UInt32

        /// The first pad of a filter.
        init(_ filter: Filter?) {
            (self.filter, pad) = (filter, 0)
        }

        fileprivate init(_ end: AVFilterInOut) {
            (filter, pad) = (end.filter_ctx, UInt32(clamping: end.pad_idx))
        }

        /// The filter's name in libavfilter: `hflip`.
        var name: String { filter?.name ?? "" }
    }

    /// Adds the filters to `graph`; it is of no further use where that fails.
    init(parsing text: String, into graph: UnsafeMutablePointer<AVFilterGraph>) throws(CodecFailure) {
        var inputs: UnsafeMutablePointer<AVFilterInOut>?
        var outputs: UnsafeMutablePointer<AVFilterInOut>?
        defer {
            avfilter_inout_free(&inputs)
            avfilter_inout_free(&outputs)
        }
        let status = avfilter_graph_parse2(graph, text.allSatisfy(\.isWhitespace) ? "null" : text, &inputs, &outputs)
        guard status >= 0 else { throw CodecFailure("the filters cannot be read", code: status) }
        let (open, ready) = (Self.ends(inputs), Self.ends(outputs))
        guard open.count == 1, ready.count == 1 else { throw Self.severalEnds(open, ready) }
        (input, output) = (open[0], ready[0])
        try refuseAudio()
        try Self.refuseUnsuitable(graph)
    }

    private static func ends(_ list: UnsafeMutablePointer<AVFilterInOut>?) -> [End] {
        var ends: [End] = []
        var next = list
        while let end = next {
            ends.append(End(end.pointee))
            next = end.pointee.next
        }
        return ends
    }
}

// MARK: - What is not taken

extension FilterChain {
    private static func severalEnds(_ inputs: [End], _ outputs: [End]) -> CodecFailure {
        func counted(_ ends: [End], _ noun: String) -> String {
            if ends.isEmpty { return "no open \(noun)" }
            let names = ends.map(\.name).joined(separator: ", ")
            return "\(ends.count) open \(noun)\(ends.count == 1 ? "" : "s") (\(names))"
        }
        return CodecFailure(
            reason:
                "the filters have \(counted(inputs, "input")) and \(counted(outputs, "output")), and need one of each",
            remedy: "separate filters by commas, and connect branches by labels")
    }

    private func refuseAudio() throws(CodecFailure) {
        let kinds = [
            (input.name, avfilter_pad_get_type(input.filter?.pointee.input_pads, CInt(input.pad))),
            (output.name, avfilter_pad_get_type(output.filter?.pointee.output_pads, CInt(output.pad))),
        ]
        for (name, kind) in kinds where kind != AVMEDIA_TYPE_VIDEO {
            throw CodecFailure(reason: "\(name) is a filter of sound", remedy: "leave it out: these are for pictures")
        }
    }

    /// Filters that a live picture with privacy masks cannot have, and why.
    private static let unsuitable = [
        // Commands could lift a mask while it runs.
        "sendcmd": "steers other filters", "zmq": "steers other filters",
        "asendcmd": "steers other filters", "azmq": "steers other filters",
        "reverse": "keeps all pictures until the end, which does not come",
    ]

    private static func refuseUnsuitable(_ graph: UnsafeMutablePointer<AVFilterGraph>) throws(CodecFailure) {
        let filters = UnsafeMutableBufferPointer(start: graph.pointee.filters, count: Int(graph.pointee.nb_filters))
        for case let filter? in filters {
            guard let reason = unsuitable[filter.name] else { continue }
            throw CodecFailure(
                reason: "the filter \(filter.name) \(reason)",
                remedy: "leave it out; effects change with the configuration, while they run")
        }
    }
}

extension UnsafeMutablePointer<AVFilterContext> {
    fileprivate var name: String { String(cString: pointee.filter.pointee.name) }
}
