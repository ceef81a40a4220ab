import RTP
import Streams

/// The key of a multicast group.
///
/// A stream may have one group per encapsulation. Another stream at the same path has groups of its own, so that withdrawing the
/// first does not affect them.
struct GroupKey: Hashable, Sendable {
    let stream: Stream
    let encapsulation: RTPEncapsulation

    static func == (one: Self, other: Self) -> Bool {
        one.stream === other.stream && one.encapsulation == other.encapsulation
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(stream))
        hasher.combine(encapsulation)
    }
}
