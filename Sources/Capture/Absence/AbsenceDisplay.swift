import Media
import Streams

/// What a path shows while its source is absent.
public enum AbsenceDisplay: Hashable, Sendable {
    /// The source's last frame with a notice; the slate if there was none.
    case lastFrame
    /// A dark frame with a notice.
    case slate
    /// A file, again and again; the slate if it cannot be played.
    case file(String)
}

/// All that is known about the absence of one path's source, from its configuration and from earlier runs.
public struct AbsencePlan: Sendable {
    /// `nil` if nothing is shown.
    public var display: AbsenceDisplay?
    /// The silence of the source after which something is shown.
    public var afterSeconds = 2
    /// The stream that is shown instead of `display` while it has frames, which is looked up each time; `nil` for none.
    public var fallback: (@Sendable () -> Stream?)?
    /// The tracks before a source has announced any; empty for `keptTracks`.
    public var tracks: [AnnouncedTrack] = []
    /// The tracks of the last source in an earlier run; `nil` if they are not known.
    public var keptTracks: [Track]?
    /// Called with the tracks that a source has announced, on the publisher's thread. It must not block.
    public var keep: (@Sendable ([Track]) -> Void)?

    public init() {}
}
