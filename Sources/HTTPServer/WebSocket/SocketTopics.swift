import RTSP

/// What the client of a WebSocket is told about the streams, and what it was told last.
struct SocketTopics {
    /// The stream whose media it gets; `nil` without media.
    var stream: String?
    /// The paths of which the client has subscribed to the list of viewers.
    private(set) var viewers: Set<String> = []
    private var wantsStreams = false
    /// Whether it was told all streams.
    private var knowsStreams = false
    /// The numbers of what it was told of each stream (``CatalogStream``), by its path.
    private var told: [String: (state: Int, content: Int)] = [:]

    /// The most paths whose viewers one client follows: the page follows one.
    private static let maximumPaths = 16

    /// Remembers a topic, except for events, which are no state.
    ///
    /// - Returns: false for an unknown topic, or if there are too many.
    mutating func subscribe(_ topic: ClientMessage.Topic) -> Bool {
        switch topic {
        case .streams: (wantsStreams, knowsStreams) = (true, false)
        case .viewers(let path):
            guard viewers.count < Self.maximumPaths else { return viewers.contains(path) }
            viewers.insert(path)
        case .events: break
        case .unknown: return false
        }
        return true
    }

    mutating func unsubscribe(_ topic: ClientMessage.Topic) {
        switch topic {
        case .streams: (wantsStreams, knowsStreams) = (false, false)
        case .viewers(let path): viewers.remove(path)
        case .events, .unknown: break
        }
    }

    /// The messages that tell the client what it does not know.
    ///
    /// - Parameter isForAll: whether all changes are told; otherwise those of states.
    mutating func messages(about streams: [CatalogStream], isForAll: Bool, for rights: ClientRights) -> [[UInt8]] {
        let visible = streams.filter { rights.admits(.read, $0.path) && (wantsStreams || $0.path == stream) }
        let changed = visible.filter { stream in
            guard let last = told[stream.path] else { return true }
            return last.state != stream.state || isForAll && last.content != stream.content
        }
        let removed = told.keys.filter { path in !visible.contains { $0.path == path } }.sorted()
        for path in removed { told[path] = nil }
        for stream in changed { told[stream.path] = (stream.state, stream.content) }
        var messages: [[UInt8]] = []
        if let own = changed.first(where: { $0.path == stream }) {
            messages.append(Array("{\"stream\":".utf8) + own.json(rights.rights(at: own.path)) + Self.end("stream"))
        }
        guard wantsStreams else { return messages }
        if !knowsStreams {
            messages.append(Self.message(visible, isComplete: true, removed: [], for: rights))
        } else if !changed.isEmpty || !removed.isEmpty {
            messages.append(Self.message(changed, isComplete: false, removed: removed, for: rights))
        }
        knowsStreams = true
        return messages
    }

    private static func message(
        _ streams: [CatalogStream], isComplete: Bool, removed: [String], for rights: ClientRights
    ) -> [UInt8] {
        Array("{\"isComplete\":\(isComplete),\"removed\":".utf8) + json(removed) + Array(",\"streams\":".utf8)
            + streams.json(for: rights) + end("streams")
    }

    /// The message with the viewers of a path.
    static func message(viewers: [UInt8], of path: String) -> [UInt8] {
        Array("{\"path\":".utf8) + json(path) + Array(",\"viewers\":".utf8) + viewers + end("viewers")
    }

    private static func end(_ type: String) -> [UInt8] { Array(",\"type\":\"\(type)\"}".utf8) }
}
