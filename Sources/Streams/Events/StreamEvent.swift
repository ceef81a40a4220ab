import Media

/// Something that has happened to a path, for operators and their programs.
public struct StreamEvent: Hashable, Sendable {
    /// A client that watches or publishes.
    public struct Client: Hashable, Sendable {
        /// Its address and port.
        public let peer: String
        /// Its program, as it names itself; `nil` if it does not.
        public let name: String?
        /// How media is sent: `UDP`, `TCP`, `TLS` and others.
        public let transport: String
        /// `nil` if it did not authenticate.
        public let user: String?

        public init(peer: String, name: String?, transport: String, user: String? = nil) {
            (self.peer, self.name, self.transport, self.user) = (peer, name, transport, user)
        }
    }

    public enum Occurrence: Hashable, Sendable {
        /// The path is served.
        case pathAdded
        /// The path is no longer served.
        case pathRemoved
        /// Settings of the path have changed: the names of its options.
        case settingsChanged([String])
        /// The source has published its first media since its start.
        case sourceUp
        /// The source publishes no more, for this reason. It may start again.
        case sourceDown(reason: String)
        /// The source cannot start, for this reason. It is tried again; the same reason is not repeated.
        case sourceFailed(reason: String)
        case publisherJoined(Client)
        case publisherLeft(Client, reason: String)
        /// A viewer begins to play.
        case viewerJoined(Client)
        case viewerLeft(Client, reason: String)
    }

    /// The kind of an occurrence. The raw values are in the configuration and in JSON.
    public enum Kind: String, CaseIterable, Hashable, Sendable, Codable {
        case pathAdded = "path-added"
        case pathRemoved = "path-removed"
        case settingsChanged = "settings-changed"
        case sourceUp = "source-up"
        case sourceDown = "source-down"
        case sourceFailed = "source-failed"
        case publisherJoined = "publisher-joined"
        case publisherLeft = "publisher-left"
        case viewerJoined = "viewer-joined"
        case viewerLeft = "viewer-left"
    }

    /// No other event of any run of any server has this text.
    public let id: String
    /// Counts all events of a bus from 1. A gap means that events were dropped, or do not pass a filter.
    public let number: UInt64
    /// The wall-clock time, in nanoseconds since 1970.
    public let unixNanoseconds: Int64
    /// `/cam`.
    public let path: String
    public let occurrence: Occurrence

    public var kind: Kind {
        switch occurrence {
        case .pathAdded: .pathAdded
        case .pathRemoved: .pathRemoved
        case .settingsChanged: .settingsChanged
        case .sourceUp: .sourceUp
        case .sourceDown: .sourceDown
        case .sourceFailed: .sourceFailed
        case .publisherJoined: .publisherJoined
        case .publisherLeft: .publisherLeft
        case .viewerJoined: .viewerJoined
        case .viewerLeft: .viewerLeft
        }
    }
}

// MARK: - Text

extension StreamEvent {
    /// A sentence for people, without a full stop. It contains what clients call themselves, so it must not be trusted as HTML.
    public var text: String {
        switch occurrence {
        case .pathAdded: "\(path) is served now"
        case .pathRemoved: "\(path) is no longer served"
        case .settingsChanged(let keys): "settings of \(path) have changed: \(keys.joined(separator: ", "))"
        case .sourceUp: "the source of \(path) is up"
        case .sourceDown(let reason): "the source of \(path) is down: \(reason)"
        case .sourceFailed(let reason): "the source of \(path) cannot start: \(reason)"
        case .publisherJoined(let client): "\(client.text) publishes \(path) over \(client.transport)"
        case .publisherLeft(let client, let reason): "\(client.text) no longer publishes \(path): \(reason)"
        case .viewerJoined(let client): "\(client.text) watches \(path) over \(client.transport)"
        case .viewerLeft(let client, let reason): "\(client.text) no longer watches \(path): \(reason)"
        }
    }
}

extension StreamEvent.Client {
    fileprivate var text: String { user.map { "\($0) at \(peer)" } ?? peer }
}

// MARK: - JSON

extension StreamEvent: Encodable {
    private enum Key: String, CodingKey {
        case id, number, kind, time, path, text, reason, settings, peer, client, transport, user
    }

    /// One object without nested ones: `id`, `number`, `kind`, `time` (in milliseconds since 1970), `path`, `text`, and what the kind
    /// has.
    public func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        try object.encode(id, forKey: .id)
        try object.encode(number, forKey: .number)
        try object.encode(kind, forKey: .kind)
        // A Double has microseconds until the year 2255.
        try object.encode(Double(unixNanoseconds / 1_000) / 1_000, forKey: .time)
        try object.encode(path, forKey: .path)
        try object.encode(text, forKey: .text)
        switch occurrence {
        case .pathAdded, .pathRemoved, .sourceUp: break
        case .settingsChanged(let keys): try object.encode(keys, forKey: .settings)
        case .sourceDown(let reason), .sourceFailed(let reason): try object.encode(reason, forKey: .reason)
        case .publisherJoined(let client), .viewerJoined(let client): try Self.encode(client, to: &object)
        case .publisherLeft(let client, let reason), .viewerLeft(let client, let reason):
            try Self.encode(client, to: &object)
            try object.encode(reason, forKey: .reason)
        }
    }

    private static func encode(_ client: Client, to object: inout KeyedEncodingContainer<Key>) throws {
        try object.encode(client.peer, forKey: .peer)
        try object.encodeIfPresent(client.name, forKey: .client)
        try object.encode(client.transport, forKey: .transport)
        try object.encodeIfPresent(client.user, forKey: .user)
    }
}
