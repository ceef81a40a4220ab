import Media
import Wire

/// Makes access units of the bytes of one elementary stream.
///
/// A PES packet begins (``begin(_:arrival:)``), its body comes in pieces (``push(_:arrival:)``), and ends (``end()``) if that is known
/// before the next one begins. Then units are taken until there are none (``next()``).
protocol ElementaryStreamReader: Sendable {
    /// A PES packet begins.
    ///
    /// - Parameter times: of the first access unit that begins in it; `nil` if the packet has none.
    mutating func begin(_ times: UnitTimes?, arrival: MonotonicTime)

    /// More of the body has come.
    mutating func push(_ body: RawSpan, arrival: MonotonicTime)

    /// The PES packet has ended. The next one has not come yet.
    mutating func end()

    /// Bytes are missing before those that come next.
    mutating func recordLoss()

    /// The stream has ended.
    mutating func finish()

    /// The oldest unit.
    mutating func next() -> ElementaryUnit?

    /// Access units of which a part was lost or malformed, so far.
    var brokenCount: Int { get }
}

/// The times of a unit that was received.
struct UnitTimes: Hashable, Sendable {
    let presentation: ProgramTime
    let decode: ProgramTime
    /// The number of the time base (`TimeBase`).
    let base: Int
}

/// An access unit of an elementary stream.
struct ElementaryUnit: Hashable, Sendable {
    let times: UnitTimes
    /// When its first bytes came.
    let arrival: MonotonicTime
    let isKeyframe: Bool
    /// Whether no byte was lost that may have belonged to it or to a frame that it needs.
    let isComplete: Bool
    /// For audio, which says in each unit how to decode it.
    let format: Track.Format?
    /// The NAL units or the block of audio, back to back.
    let bytes: [UInt8]
    /// The range of each in `bytes`; never empty.
    let units: [Range<Int>]
}
