import MP4
import Media

/// The media playlist of a stream (RFC 8216bis, section 4.4.3 and 4.4.4): which segments and parts there are.
public struct MediaPlaylist<Storage: FragmentStorage>: Sendable {
    /// Where another rendition of the stream is.
    public struct Report: Hashable, Sendable {
        public let uri: String
        /// Its newest part.
        public let newest: PlaylistPosition

        public init(uri: String, newest: PlaylistPosition) {
            (self.uri, self.newest) = (uri, newest)
        }
    }

    private let segmenter: Segmenter<Storage>
    private let timing: SegmentTiming
    private let run: String
    private let hasEnded: Bool
    private let listed: ArraySlice<Segment<Storage>>

    /// `nil` as long as there is no playlist.
    ///
    /// - Parameters:
    ///   - run: names the segmenter in the names of segments.
    ///   - hasEnded: whether no segment will follow.
    public init?(of segmenter: Segmenter<Storage>, run: String, hasEnded: Bool = false) {
        guard segmenter.hasPlaylist, let timing = segmenter.timing else { return nil }
        (self.segmenter, self.timing, self.run, self.hasEnded) = (segmenter, timing, run, hasEnded)
        listed = segmenter.listed(timing)
    }

    /// The text.
    ///
    /// - Parameters:
    ///   - isDelta: whether segments that the client has are left out (section 6.2.5.1). If there are none, all are listed.
    ///   - reports: the other renditions.
    public func text(isDelta: Bool = false, reports: [Report] = []) -> String {
        var text = PlaylistText(version: 9)
        writeHead(&text)
        let skipped = isDelta ? skippedCount : 0
        if skipped > 0 { text.tag("EXT-X-SKIP", [("SKIPPED-SEGMENTS", "\(skipped)")]) }
        var initNumber = skipped > 0 ? listed[listed.startIndex + skipped - 1].initNumber : nil
        let withParts = listed.endIndex - partedCount
        for index in listed.indices.dropFirst(skipped) {
            write(listed[index], hasParts: index >= withParts, after: &initNumber, &text)
        }
        guard !hasEnded else {
            text.tag("EXT-X-ENDLIST")
            return text.text
        }
        if let open = segmenter.open { write(open, after: &initNumber, &text) }
        let hint = ResourceName.part(run: run, segmenter.edge)
        text.tag("EXT-X-PRELOAD-HINT", [("TYPE", "PART"), ("URI", .quoted(hint.text))])
        for report in reports {
            text.tag(
                "EXT-X-RENDITION-REPORT",
                [
                    ("URI", .quoted(report.uri)), ("LAST-MSN", "\(report.newest.segment)"),
                    ("LAST-PART", "\(report.newest.part)"),
                ])
        }
        return text.text
    }

    private func writeHead(_ text: inout PlaylistText) {
        text.tag("EXT-X-TARGETDURATION", "\(timing.targetSeconds)")
        text.tag(
            "EXT-X-SERVER-CONTROL",
            [
                ("CAN-BLOCK-RELOAD", "YES"), ("CAN-SKIP-UNTIL", "\(6 * timing.targetSeconds)"),
                ("HOLD-BACK", "\(3 * timing.targetSeconds)"), ("PART-HOLD-BACK", .seconds(3 * timing.partTarget)),
            ])
        text.tag("EXT-X-PART-INF", [("PART-TARGET", .seconds(timing.partTarget))])
        let first = listed.first
        text.tag("EXT-X-MEDIA-SEQUENCE", "\(first?.number ?? segmenter.edge.segment)")
        // What stands before the first segment is not in the playlist any more.
        let sequence = first.map { $0.discontinuityCount - ($0.isDiscontinuous ? 1 : 0) } ?? 0
        if sequence > 0 { text.tag("EXT-X-DISCONTINUITY-SEQUENCE", "\(sequence)") }
        if listed.allSatisfy(\.isIndependent), segmenter.open?.isIndependent ?? true {
            text.tag("EXT-X-INDEPENDENT-SEGMENTS")
        }
    }

    private func write(
        _ segment: Segment<Storage>, hasParts: Bool, after initNumber: inout Int?, _ text: inout PlaylistText
    ) {
        if segment.isDiscontinuous { text.tag("EXT-X-DISCONTINUITY") }
        write(segment.initNumber, after: &initNumber, &text)
        if let captured = segment.captured { text.tag("EXT-X-PROGRAM-DATE-TIME", .date(captured)) }
        if hasParts { write(segment.parts, of: segment.number, &text) }
        if segment.isGap { text.tag("EXT-X-GAP") }
        text.tag("EXTINF", .seconds(segment.duration) + ",")
        text.line(ResourceName.segment(run: run, segment.number).text)
    }

    private func write(_ open: OpenSegment<Storage>, after initNumber: inout Int?, _ text: inout PlaylistText) {
        guard !open.parts.isEmpty else { return }
        if open.isDiscontinuous { text.tag("EXT-X-DISCONTINUITY") }
        write(open.initNumber, after: &initNumber, &text)
        if let captured = open.captured { text.tag("EXT-X-PROGRAM-DATE-TIME", .date(captured)) }
        write(open.parts, of: open.number, &text)
    }

    private func write(_ number: Int, after last: inout Int?, _ text: inout PlaylistText) {
        guard number != last else { return }
        last = number
        text.tag("EXT-X-MAP", [("URI", .quoted(ResourceName.initSegment(run: run, number).text))])
    }

    private func write(_ parts: [Part<Storage>], of segment: Int64, _ text: inout PlaylistText) {
        for (index, part) in parts.enumerated() {
            let name = ResourceName.part(run: run, PlaylistPosition(segment: segment, part: index))
            text.tag(
                "EXT-X-PART",
                [("DURATION", .seconds(part.duration)), ("URI", .quoted(name.text))]
                    + (part.isIndependent ? [("INDEPENDENT", "YES")] : []))
        }
    }

    /// How many of the last listed segments are listed with their parts: those within three target durations of the end
    /// (section 6.2.2).
    private var partedCount: Int { count(within: 3) }

    /// How many of the first listed segments a delta update leaves out: those more than six target durations before the end.
    private var skippedCount: Int { max(0, listed.count - count(within: 6)) }

    /// How many of the last listed segments begin within so many target durations of the end.
    private func count(within targets: Int64) -> Int {
        var rest = targets * Int64(timing.targetSeconds) * 1_000_000_000
        rest -= segmenter.open?.parts.reduce(0) { $0 + $1.duration } ?? 0
        var count = 0
        for segment in listed.reversed() {
            guard rest > 0 else { break }
            rest -= segment.duration
            count += 1
        }
        return count
    }
}

extension Segmenter {
    /// The segments that playlists list: the newer half of those that are kept, and four target durations at least. A client has as long
    /// to fetch a segment that has left the playlist as the playlist was (section 6.2.2).
    fileprivate func listed(_ timing: SegmentTiming) -> ArraySlice<Segment<Storage>> {
        let target = Int64(timing.targetSeconds) * 1_000_000_000
        var rest = max((options.window - target) / 2, 4 * target)
        var first = segments.endIndex
        while first > segments.startIndex, rest >= segments[first - 1].duration {
            first -= 1
            rest -= segments[first].duration
        }
        return segments[first...]
    }
}

extension OpenSegment {
    fileprivate var isIndependent: Bool { parts.first?.isIndependent ?? true }
}
