import MP4
import Media

/// A part of a segment: one fragment with all tracks, in one piece of memory (RFC 8216bis, section 4.4.4.9). Immutable.
public struct Part<Storage: FragmentStorage>: Sendable {
    public let bytes: Storage
    public let byteCount: Int
    /// Nanoseconds of media.
    public let duration: Int64
    /// Whether it has a frame at which decoding can start.
    public let isIndependent: Bool
}

/// A finished segment. Immutable. It is one piece of memory, because most clients take it whole, and each piece is a write.
public struct Segment<Storage: FragmentStorage>: Sendable {
    /// Its media sequence number.
    public let number: Int64
    /// Empty if the source was absent.
    public let parts: [Part<Storage>]
    /// All parts in one piece of memory, which they share; `nil` if the source was absent.
    public let bytes: Storage?
    /// Nanoseconds of media.
    public let duration: Int64
    /// When its first frame was captured; `nil` if unknown.
    public let captured: NTPTime?
    /// The init segment that it needs, by its number in ``Segmenter/initSegments``.
    public let initNumber: Int
    /// Whether decoders start anew before it.
    public let isDiscontinuous: Bool
    /// Discontinuities up to its beginning, since the playlist began.
    let discontinuityCount: Int64

    public var isGap: Bool { parts.isEmpty }
    public var byteCount: Int { parts.reduce(0) { $0 + $1.byteCount } }
    /// Whether its first part is one at which decoding can start.
    var isIndependent: Bool { parts.first?.isIndependent ?? true }
}

/// A place in a playlist: a part of a segment, both counted as clients name them. Places are ordered.
public struct PlaylistPosition: Hashable, Comparable, Sendable {
    /// The media sequence number.
    public let segment: Int64
    public let part: Int

    public init(segment: Int64, part: Int) {
        (self.segment, self.part) = (segment, part)
    }

    public static func < (left: Self, right: Self) -> Bool {
        (left.segment, left.part) < (right.segment, right.part)
    }
}
