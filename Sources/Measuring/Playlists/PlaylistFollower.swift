import HLS

/// Decides what a player of HLS requests next. A plain value without time.
///
/// With low latency, one of two requests waits at the server:
///
/// ```
///   multivariant ──▶ media playlist ──▶ init segment, parts from the newest keyframe ──▶ the hinted part (waits) ──┐
///                        ▲                                                                                         │
///                        └────────────── the playlist that lists this part (_HLS_msn, _HLS_part) ◀─────────────────┘
/// ```
///
/// Without low latency, a player begins three segments before the end of the playlist. It asks for the playlist again after its target
/// duration, or after half of that if nothing was new (RFC 8216bis, section 6.3.4).
struct PlaylistFollower {
    /// What is to be done next.
    enum Order: Equatable {
        /// Request this playlist: path and query.
        case playlist(String)
        /// Request this init segment, segment or part.
        case media(String)
        /// Ask ``waited()`` after so many milliseconds.
        case wait(milliseconds: Int64)
        case end(HTTPEnd)
    }

    private let playback: HTTPStream.Playback
    /// The path and query of the playlist; after the multivariant playlist, of the first quality.
    private var target: String
    /// The last media playlist; `nil` before the first.
    private var playlist: ReceivedMediaPlaylist?
    /// What is still to be requested of it.
    private var queue: [ReceivedMediaPlaylist.Resource] = []
    /// The position behind what has been requested; `nil` at the beginning, and after a resource was missing.
    private var next: PlaylistPosition?
    private var requested: Requested?
    private var initURI: String?
    private var missingCount = 0

    private enum Requested {
        case initSegment
        case listed
        case hint(PlaylistPosition)
    }

    /// Missing resources in succession after which a player gives up.
    private static let mostMissing = 3

    init(_ target: String, _ playback: HTTPStream.Playback) {
        (self.target, self.playback) = (target, playback)
    }

    /// What is requested first.
    var first: Order { .playlist(target) }

    /// Whether a media playlist has come.
    var isPlaying: Bool { playlist != nil }

    // MARK: What comes

    mutating func received(_ received: ReceivedPlaylist) -> Order {
        switch received {
        case .qualities(let uris):
            guard playlist == nil, let uri = uris.first else { return .end(.invalidPlaylist(.noPlaylist)) }
            guard let quality = resolve(uri) else { return .end(.otherServer(uri)) }
            target = quality
            return .playlist(quality)
        case .media(let fresh):
            playlist = fresh
            enqueue(fresh)
            return proceed(afterReload: true)
        }
    }

    /// The requested init segment, segment or part is complete.
    mutating func receivedMedia() -> Order {
        missingCount = 0
        if case .hint(let position) = requested { return reload(containing: position) }
        return proceed(afterReload: false)
    }

    /// What was requested is not there (404). A hinted part may have become superfluous, because its segment ended before it. Another
    /// resource has left the playlist: the player is too slow, and goes on at the newest keyframe.
    mutating func mediaWasMissing() -> Order {
        missingCount += 1
        guard missingCount < Self.mostMissing else { return .end(.refused(status: 404, reason: "Not Found")) }
        if case .hint(let position) = requested { return reload(containing: position) }
        (queue, next, initURI) = ([], nil, nil)
        return .playlist(target)
    }

    func waited() -> Order { .playlist(target) }

    // MARK: What follows

    private mutating func enqueue(_ playlist: ReceivedMediaPlaylist) {
        let listed = playback == .lowLatency ? playlist.parts : playlist.segments
        switch (next, playback) {
        case (let next?, _): queue = listed.filter { $0.position >= next }
        case (nil, .segments): queue = listed.suffix(3)
        case (nil, .lowLatency): queue = Array(listed[(listed.lastIndex { $0.isIndependent } ?? listed.endIndex)...])
        }
    }

    private mutating func proceed(afterReload: Bool) -> Order {
        guard let playlist else { return .playlist(target) }
        if let resource = queue.first { return request(resource, as: .listed) }
        if playlist.hasEnded { return .end(.endedByServer) }
        switch playback {
        case .segments:
            let milliseconds = Int64(max(1, playlist.targetSeconds)) * 1_000
            return .wait(milliseconds: afterReload ? milliseconds / 2 : milliseconds)
        case .lowLatency:
            guard playlist.canBlock, let hint = playlist.hint else { return .end(.noLowLatency) }
            if let next, hint.position < next { return reload(containing: next) }
            return request(hint, as: .hint(hint.position))
        }
    }

    private mutating func request(_ resource: ReceivedMediaPlaylist.Resource, as kind: Requested) -> Order {
        if let uri = resource.initURI, uri != initURI {
            (initURI, requested) = (uri, .initSegment)
            return media(uri)
        }
        requested = kind
        if case .listed = kind { queue.removeFirst() }
        let position = resource.position
        switch playback {
        case .segments: next = PlaylistPosition(segment: position.segment + 1, part: 0)
        case .lowLatency: next = PlaylistPosition(segment: position.segment, part: position.part + 1)
        }
        return media(resource.uri)
    }

    private func media(_ uri: String) -> Order { resolve(uri).map { .media($0) } ?? .end(.otherServer(uri)) }

    /// Requests the playlist once it contains this part.
    private func reload(containing position: PlaylistPosition) -> Order {
        let separator = target.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        return .playlist("\(target)\(separator)_HLS_msn=\(position.segment)&_HLS_part=\(position.part)")
    }

    /// The path and query of a URI in the playlist (RFC 3986, section 5.2, without dot segments); `nil` if it leads to another server.
    private func resolve(_ uri: String) -> String? {
        guard uri.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        if uri.hasPrefix("/") { return uri.hasPrefix("//") ? nil : uri }
        let scheme = uri.utf8.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        guard !scheme.contains(UInt8(ascii: ":")) else { return nil }
        let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
        let folder = path.lastIndex(of: UInt8(ascii: "/")).map { path[...$0] } ?? path.prefix(0)
        return String(Substring(folder)) + uri
    }
}
