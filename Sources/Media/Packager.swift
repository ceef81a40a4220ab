/// Turns a stream's access units into what one kind of viewer is sent. A pure value: the same units give the same outputs.
///
/// It runs once per stream and kind (`Feed`), however many viewers there are, and once more for a joining viewer's prelude.
public protocol Packager: Sendable {
    /// What viewers are sent for one access unit: immutable and shared by all of them.
    associatedtype Output: PackagedUnit

    /// A packager for these tracks, in the order of their ids.
    init(tracks: [Track], options: Options)
    associatedtype Options: Hashable, Sendable

    /// The output for `unit`; `nil` where the unit cannot be sent to this kind of viewer.
    mutating func package(_ unit: AccessUnit) -> Output?

    /// What a joining viewer is sent for `units` before all that this packager makes from now on.
    ///
    /// A kind whose outputs count on from one to the next (continuity counters) has them count up to its own here.
    func fastStart(_ units: [AccessUnit]) -> [Output]

    /// What a viewer is sent while the source is silent, where silence would make it give up; `nil` where it would not.
    ///
    /// Its presentation time does not count.
    static func filler(_ options: Options) -> Output?
}

extension Packager {
    public func fastStart(_ units: [AccessUnit]) -> [Output] {
        var copy = self
        return units.compactMap { copy.package($0) }
    }

    public static func filler(_ options: Options) -> Output? { nil }
}

/// What the middle must know of an output without knowing its kind.
public protocol PackagedUnit: Sendable {
    var track: TrackID { get }
    var presentationTime: MediaTime { get }
    /// Whether a viewer can start here.
    var isKeyframe: Bool { get }
    /// Bytes held in memory, for the ring's bound.
    var byteCount: Int { get }
}
