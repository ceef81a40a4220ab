/// A playlist as a client reads it (RFC 8216bis). Segments must be whole resources, and not encrypted.
public enum ReceivedPlaylist: Hashable, Sendable {
    /// A multivariant playlist: the URIs of the qualities, in their order.
    case qualities([String])
    case media(ReceivedMediaPlaylist)

    /// The longest playlist that is read, in bytes: one of Apus has 10 KB at most.
    public static let maximumByteCount = 1 << 20

    /// Why a text cannot be read.
    public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        case tooLong
        /// It does not begin with `#EXTM3U`, or states no target duration.
        case noPlaylist
        /// A tag without the value that it needs, or a line in the wrong place; lines count from 1.
        case malformed(line: Int)
        /// A tag or an attribute that changes how segments are fetched or read.
        case unsupported(String)

        public var description: String {
            switch self {
            case .tooLong: "the playlist is longer than \(ReceivedPlaylist.maximumByteCount) bytes"
            case .noPlaylist: "the response is not a playlist"
            case .malformed(let line): "line \(line) of the playlist is malformed"
            case .unsupported(let name): "playlists with \(name) are not supported"
            }
        }
    }

    /// Reads a text. Tags that are not needed are skipped.
    public init(_ text: String) throws(Failure) {
        guard text.utf8.count <= Self.maximumByteCount else { throw .tooLong }
        var reader = PlaylistReader()
        for line in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            try reader.read(Substring(line.last == UInt8(ascii: "\r") ? line.dropLast() : line))
        }
        self = try reader.finish()
    }
}

/// A media playlist as a client reads it.
public struct ReceivedMediaPlaylist: Hashable, Sendable {
    /// A segment or a part.
    public struct Resource: Hashable, Sendable {
        /// Of a segment: that of its first part.
        public let position: PlaylistPosition
        public let uri: String
        /// Its init segment (`EXT-X-MAP`); `nil` if it needs none.
        public let initURI: String?
        /// Whether decoding can start at it; true for segments.
        public let isIndependent: Bool

        public init(_ position: PlaylistPosition, uri: String, initURI: String?, isIndependent: Bool) {
            (self.position, self.uri, self.initURI, self.isIndependent) = (position, uri, initURI, isIndependent)
        }
    }

    public internal(set) var targetSeconds = 0
    /// Whether a request can wait for a part that is not there yet (`CAN-BLOCK-RELOAD`).
    public internal(set) var canBlock = false
    /// The segments, without those for which there are no media (`EXT-X-GAP`). The same for the parts.
    public internal(set) var segments: [Resource] = []
    public internal(set) var parts: [Resource] = []
    /// The part that will come next (`EXT-X-PRELOAD-HINT`).
    public internal(set) var hint: Resource?
    /// Whether no segment will follow (`EXT-X-ENDLIST`).
    public internal(set) var hasEnded = false
}
