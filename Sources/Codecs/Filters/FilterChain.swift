import CFFmpeg

/// The filters that a filter description names, inside a libavfilter graph, and their two open ends.
///
/// The description has the syntax of `ffmpeg -vf`: `hqdn3d,hflip`, or branches with labels, with sources such as `movie` among
/// them. Exactly one video input and one video output must be left open.
struct FilterChain {
    typealias Filter = UnsafeMutablePointer<AVFilterContext>

    let input: End
    let output: End

    /// An unconnected pad of a filter.
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

        /// The filter's name in libavfilter, such as `hflip`.
        var name: String { filter?.name ?? "" }
    }

    /// Adds the filters to `graph`. If this fails, the graph cannot be used any more.
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

// MARK: - Rejected chains

extension FilterChain {
    private static func severalEnds(_ inputs: [End], _ outputs: [End]) -> CodecFailure {
        func counted(_ ends: [End], _ noun: String) -> String {
            if ends.isEmpty { return "no open \(noun)" }
            let names = ends.map(\.name).joined(separator: ", ")
            return "\(ends.count) open \(noun)\(ends.count == 1 ? "" : "s") (\(names))"
        }
        return CodecFailure(
            reason:
                "the filters have \(counted(inputs, "input")) and \(counted(outputs, "output")), but need one of each",
            remedy: "separate filters by commas, and connect branches by labels")
    }

    private func refuseAudio() throws(CodecFailure) {
        let kinds = [
            (input.name, avfilter_pad_get_type(input.filter?.pointee.input_pads, CInt(input.pad))),
            (output.name, avfilter_pad_get_type(output.filter?.pointee.output_pads, CInt(output.pad))),
        ]
        for (name, kind) in kinds where kind != AVMEDIA_TYPE_VIDEO {
            throw CodecFailure(reason: "\(name) is an audio filter", remedy: "leave it out: effects are video filters")
        }
    }

    /// Filters that a live stream with privacy masks cannot use, with the reasons.
    private static let unsuitable = [
        // Commands could remove a mask while the stream runs.
        "sendcmd": "controls other filters", "zmq": "controls other filters",
        "asendcmd": "controls other filters", "azmq": "controls other filters",
        "reverse": "holds all frames until the end of the stream, which never comes",
    ]

    private static func refuseUnsuitable(_ graph: UnsafeMutablePointer<AVFilterGraph>) throws(CodecFailure) {
        let filters = UnsafeMutableBufferPointer(start: graph.pointee.filters, count: Int(graph.pointee.nb_filters))
        for case let filter? in filters {
            guard let reason = unsuitable[filter.name] else { continue }
            throw CodecFailure(
                reason: "the filter \(filter.name) \(reason)",
                remedy: "leave it out; to change effects while the stream runs, change the configuration")
        }
    }
}

extension UnsafeMutablePointer<AVFilterContext> {
    fileprivate var name: String { String(cString: pointee.filter.pointee.name) }
}
