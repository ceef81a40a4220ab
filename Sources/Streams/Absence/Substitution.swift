import Media

/// Decides when a stream shows a substitute for its source. A pure value, under the stream's lock.
///
/// The substitute begins when the source has published nothing for some time, and ends with the source's next keyframe. It
/// continues the source's times (``TimeOrder``) with the source's own delay, so that players need neither wait nor hurry at the switches.
struct Substitution {
    /// The silence after which a substitute is shown, in nanoseconds.
    private let patience: Int64
    /// Whether the announced tracks stay as they are even without a viewer.
    let keepsTracks: Bool
    /// When the source has last published a unit, or when the substitution was enabled.
    private(set) var lastUnit: MonotonicTime
    /// Whether viewers see the substitute.
    private(set) var isActive = false
    /// Whether the source has ended and not begun again.
    private(set) var hasLeft = false
    /// The source's last whole keyframe.
    private(set) var lastKeyframe: AccessUnit?
    /// From the decode time of the source's last unit to its publication, in nanoseconds.
    private var delay: Int64 = 0

    /// A substitute that begins later than this after its source's time would confuse players more than a jump.
    private static let longestDelay: Int64 = 2_000_000_000

    init(patience: Int64, keepsTracks: Bool = false, at now: MonotonicTime) {
        (self.patience, self.keepsTracks, lastUnit) = (patience, keepsTracks, now)
    }

    /// Whether a substitute is to be shown.
    func isDue(at now: MonotonicTime) -> Bool { isActive || now - lastUnit >= patience }

    /// How long before the present the substitute's times are, in nanoseconds.
    var substituteDelay: Int64 { min(max(0, delay), Self.longestDelay) }

    /// The source has published a unit.
    ///
    /// - Parameters:
    ///   - isLeading: whether the unit belongs to the track that viewers start with.
    ///   - sinceDecodeTime: nanoseconds from the unit's decode time to `now`.
    /// - Returns: whether viewers get the unit; false while the substitute is still shown.
    mutating func received(
        _ unit: AccessUnit, isLeading: Bool, sinceDecodeTime: Int64, at now: MonotonicTime
    ) -> Bool {
        if isActive {
            // Audio is complete in each unit, so a stream without video ends the substitute at once.
            guard isLeading, unit.isKeyframe, unit.part.isStart else { return false }
            isActive = false
        }
        (lastUnit, delay, hasLeft) = (now, sinceDecodeTime, false)
        if isLeading, unit.isKeyframe, unit.part == .whole { lastKeyframe = unit }
        return true
    }

    /// The source has ended. It may begin again.
    mutating func left() { hasLeft = true }

    /// A unit of the substitute is published: it is shown from now on.
    mutating func substituted() { isActive = true }
}

/// What a substitute for an absent source needs to know.
public struct Absence: Sendable {
    /// The announced tracks; `nil` before a source has announced any.
    public let tracks: [Track]?
    /// The source's last whole keyframe; `nil` if there was none.
    public let lastKeyframe: AccessUnit?
    /// The present on the stream's clock, with the delay that the source had, in nanoseconds.
    public let nanoseconds: Int64
    /// How long the source has been silent, in nanoseconds.
    public let silence: Int64
    /// Changes when tracks are announced, which clears the history.
    public let announcementCount: UInt64
}

/// The audio that a source lacks now, although viewers were announced it.
public struct MissingAudio: Sendable {
    public let tracks: [Track]
    /// The present on the stream's clock, with the delay that the source has, in nanoseconds.
    public let nanoseconds: Int64
}
