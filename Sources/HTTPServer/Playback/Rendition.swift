import HLS
import MP4
import Media
import NIOCore
import Reactor
import Streams
import Synchronization

/// One quality of a stream, divided into segments: a follower of the stream's feed with its segmenter. Confined to the event loop.
final class Rendition {
    let name: PlaylistName
    let stream: Streams.Stream
    /// Names this segmenter in the names of its segments.
    let run: String
    private let options: PlaybackOptions
    private let memory: PlaybackMemory
    /// Makes the source of an on-demand stream run.
    private let use: StreamUse
    private let waker: any Waker
    /// What is followed; `nil` as long as the stream has no media.
    private var source: Source?
    private(set) var segmenter: Segmenter<ByteBuffer>?
    /// The init segment of the newest media; `nil` before the first, and if the stream has no tracks of this kind.
    private(set) var initSegment: InitSegment?
    private(set) var hasEnded = false
    /// When a client last asked for something of it.
    var lastUse: MonotonicTime
    private var countedByteCount = 0
    private var playlists: [Bool: SharedPlaylist] = [:]

    private struct Source {
        let stream: Streams.Stream
        let use: StreamUse
        let feed: Feed<LivePackager>
        var reader = FeedReader<LiveFragment>()
        /// The index of the next fragment.
        var position: Int64 = 0

        init(_ stream: Streams.Stream, _ use: StreamUse, _ feed: Feed<LivePackager>) {
            (self.stream, self.use, self.feed) = (stream, use, feed)
            feed.update(&reader)
        }

        /// The oldest fragment that the feed has.
        var oldest: LiveFragment? { reader.endIndex > reader.startIndex ? reader[reader.startIndex] : nil }
    }

    init(
        _ name: PlaylistName, of stream: Streams.Stream, _ options: PlaybackOptions, _ memory: PlaybackMemory,
        waker: any Waker, at now: MonotonicTime
    ) {
        (self.name, self.stream, self.options, self.memory, self.waker) = (name, stream, options, memory, waker)
        use = StreamUse(of: stream)
        lastUse = now
        var numbers = SystemRandomNumberGenerator()
        run = String(numbers.next() as UInt32, radix: 16)
    }

    deinit { _ = memory.changed(by: -countedByteCount) }

    /// Whether it follows its stream.
    var isFollowing: Bool { source != nil }

    // MARK: Following

    /// Begins to follow the stream, if that has media now.
    func follow() {
        guard source == nil, stream.announcement != nil else { return }
        let carried = stream.stream(for: LivePackager.self)
        let use = StreamUse(of: carried)
        guard let feed = carried.feed(LivePackager.self, options: .outOfBand, for: waker) else { return }
        initSegment = carried.joinPoint(in: feed).packager.head?.selecting { name.content.kinds.contains($0.kind) }
        source = Source(carried, use, feed)
    }

    /// Begins to divide the stream.
    ///
    /// - Parameter minimumTargetSeconds: the target duration of the parent stream, for a substream; else 1.
    func begin(minimumTargetSeconds: Int) {
        // Segments count from when the first was captured, so that a later segmenter goes on with greater numbers.
        let first = source?.oldest?.captured?.unixNanoseconds ?? WallClock.unixNanoseconds()
        segmenter = Segmenter(
            options.segmenter(
                name.content, stream.hasEncoder ? .onRequest : .asTheyCome, at: first / 1_000_000_000,
                minimumTargetSeconds: minimumTargetSeconds))
    }

    /// Takes what is new.
    ///
    /// - Returns: whether there is another playlist.
    func update(at now: MonotonicTime) -> Bool {
        // Taken, so that the values are not copied when they change.
        guard segmenter != nil, var source = source.take(), var segmenter = segmenter.take() else { return false }
        let before = (segmenter.edge, segmenter.segments.last?.number, hasEnded)
        source.feed.update(&source.reader)
        let position = max(source.position, source.reader.startIndex)
        for index in position..<max(position, source.reader.endIndex) { segmenter.received(source.reader[index]) }
        if source.reader.endIndex > position, segmenter.wantsKeyframe { stream.requestKeyframe(at: now) }
        source.position = source.reader.endIndex
        if source.reader.hasEnded || stream.hasEnded, !hasEnded {
            hasEnded = true
            segmenter.finish()
        }
        segmenter.passed(now - source.stream.epoch)
        let isChanged = before != (segmenter.edge, segmenter.segments.last?.number, hasEnded)
        if isChanged {
            account(&segmenter)
            initSegment = segmenter.initSegment ?? initSegment
            playlists = [:]
        }
        (self.source, self.segmenter) = (source, segmenter)
        return isChanged
    }

    /// Counts the memory of the segments, and drops the oldest if all streams together have too many.
    private func account(_ segmenter: inout Segmenter<ByteBuffer>) {
        let excess = memory.changed(by: segmenter.byteCount - countedByteCount)
        countedByteCount = segmenter.byteCount
        guard excess > 0 else { return }
        segmenter.trim(to: countedByteCount - excess)
        _ = memory.changed(by: segmenter.byteCount - countedByteCount)
        countedByteCount = segmenter.byteCount
    }

    /// Follows no longer.
    func stop() {
        if let source { source.feed.detach(waker) }
        source = nil
    }

    // MARK: What is served

    /// The present playlist; `nil` as long as there is none.
    ///
    /// - Parameters:
    ///   - isDelta: whether segments that the client has are left out.
    ///   - others: the other qualities with the same content.
    func playlist(isDelta: Bool, besides others: @autoclosure () -> [Rendition]) -> SharedPlaylist? {
        if let playlist = playlists[isDelta] { return playlist }
        guard let segmenter, let playlist = MediaPlaylist(of: segmenter, run: run, hasEnded: hasEnded) else {
            return nil
        }
        let edge = segmenter.edge
        let tag = "\(run)-\(edge.segment)-\(edge.part)\(isDelta ? "-delta" : "")\(hasEnded ? "-end" : "")"
        let shared = SharedPlaylist(
            playlist.text(isDelta: isDelta, reports: others().compactMap(\.report)), entityTag: tag)
        playlists[isDelta] = shared
        return shared
    }

    /// Where another playlist says that this one is.
    private var report: MediaPlaylist<ByteBuffer>.Report? {
        guard let segmenter, segmenter.hasPlaylist else { return nil }
        let edge = segmenter.edge
        if edge.part > 0 {
            return .init(uri: name.text, newest: PlaylistPosition(segment: edge.segment, part: edge.part - 1))
        }
        let last = segmenter.segment(edge.segment - 1)?.parts.count ?? 1
        return .init(uri: name.text, newest: PlaylistPosition(segment: edge.segment - 1, part: max(last, 1) - 1))
    }
}
