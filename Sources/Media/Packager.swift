/// Converts a stream's access units to the output for one kind of viewer. It is a pure value: equal units give equal outputs.
///
/// It runs once per stream and kind of viewer (`Feed`), and once more for the fast start of a joining viewer. If viewers need a
/// ``head`` first, each output names it, so that a viewer gets a new head exactly where the stream changes.
public protocol Packager: Sendable {
    /// The output for one access unit, immutable and shared by all viewers.
    associatedtype Output: PackagedUnit

    /// Whether viewers of this kind can receive a track.
    static func carries(_ track: Track) -> Bool

    /// Makes a packager for these tracks, in the order of their ids.
    init(tracks: [Track], options: Options)
    associatedtype Options: Hashable, Sendable

    /// The head that the next output needs; `nil` if it needs none.
    var head: Output.Head? { get }

    /// Continues with newly announced tracks. If later outputs need another head, that begins the next generation.
    ///
    /// - Parameter former: the tracks announced before.
    /// - Returns: whether viewers of this kind can continue. If not, their sessions end.
    mutating func announced(_ tracks: [Track], after former: [Track]) -> Bool

    /// The output for `unit`; `nil` if the unit cannot be sent to this kind of viewer.
    mutating func package(_ unit: AccessUnit) -> Output?

    /// The output of `units` for a joining viewer, to be sent before all later output of this packager.
    ///
    /// If outputs are numbered (continuity counters), the numbers of these outputs continue into those of the later output. All
    /// `units` were published after the last announcement, so these outputs need the same ``head``.
    func fastStart(_ units: [AccessUnit]) -> [Output]

    /// The output to send while the source is silent, if viewers would otherwise time out; `nil` if they would not.
    ///
    /// Its presentation time is ignored.
    static func filler(_ options: Options) -> Output?
}

extension Packager {
    public static func carries(_ track: Track) -> Bool { true }

    public func fastStart(_ units: [AccessUnit]) -> [Output] {
        var copy = self
        return units.compactMap { copy.package($0) }
    }

    public static func filler(_ options: Options) -> Output? { nil }
}

extension Packager where Output.Head == Never {
    public var head: Never? { nil }

    /// Viewers without a head continue if what was negotiated still holds. Other parameters are in the outputs.
    public mutating func announced(_ tracks: [Track], after former: [Track]) -> Bool {
        former.isCompatible(with: tracks)
    }
}

/// The properties of an output that code for all kinds of viewers needs.
public protocol PackagedUnit: Sendable {
    /// What a viewer needs before its first output; `Never` if outputs carry everything that they need.
    associatedtype Head: PackagedHead = Never
    /// The head that this output needs; `nil` if it needs none. A viewer gets it before this output, unless the head that it got
    /// last has the same generation.
    var head: Head? { get }
    var track: TrackID { get }
    var presentationTime: MediaTime { get }
    /// Whether it belongs to a keyframe.
    var isKeyframe: Bool { get }
    /// Which part of its access unit it is.
    var part: AccessUnit.Part { get }
    /// Bytes in memory, which the ring limits.
    var byteCount: Int { get }
}

extension PackagedUnit {
    /// Whether a follower can start here: the first part of a keyframe.
    @inlinable
    public var isRandomAccessPoint: Bool { isKeyframe && part.isStart }
}

extension PackagedUnit where Head == Never {
    @inlinable
    public var head: Never? { nil }
}
