import Media
import RTP
import Reactor

/// An RTP packet that a session received; valid only during the call of its owner.
public struct ReceivedPacket: ~Escapable {
    /// The index of the track among the session's described tracks.
    public let track: Int
    public let header: Header
    /// Whether the packet belongs to a keyframe: a slice of an IDR picture begins in it. Always true for audio.
    public let isKeyframe: Bool
    /// The time of arrival: on UDP, when the kernel received the packet; on TCP, when it was read.
    public let arrival: MonotonicTime
    /// The length of the packet with its RTP header.
    public let byteCount: Int
    /// Whether it was missing, was requested, and has come in time.
    public let isRepair: Bool
    public let payload: RawSpan

    public var sequenceNumber: UInt16 { header.sequenceNumber.rawValue }
    public var timestamp: UInt32 { header.timestamp }
    public var isMarked: Bool { header.isMarked }

    /// The time of arrival on the wall clock, in nanoseconds since 1970.
    public var arrivalUnixNanoseconds: Int64 {
        arrival.nanoseconds &+ (WallClock.unixNanoseconds() &- MonotonicTime.now().nanoseconds)
    }

    @_lifetime(copy payload)
    public init(
        track: Int, header: Header, isKeyframe: Bool, arrival: MonotonicTime, byteCount: Int, isRepair: Bool = false,
        payload: RawSpan
    ) {
        self.track = track
        self.header = header
        self.isKeyframe = isKeyframe
        self.arrival = arrival
        self.byteCount = byteCount
        self.isRepair = isRepair
        self.payload = payload
    }
}
