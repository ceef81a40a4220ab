import Media
import RTP
import Reactor

/// An RTP packet as it came to a session; valid only while its owner is told of it.
public struct ReceivedPacket: ~Escapable {
    /// Which of the session's tracks: index into its described tracks.
    public let track: Int
    public let sequenceNumber: UInt16
    public let timestamp: UInt32
    public let isMarked: Bool
    /// Whether a random access unit begins or goes on here: a slice of an IDR picture begins; always for audio.
    public let isKeyframe: Bool
    /// When it came: on UDP, when the kernel received it; on TCP, when it was read.
    public let arrival: MonotonicTime
    /// Bytes with the RTP header.
    public let byteCount: Int
    public let payload: RawSpan

    /// When it came, by the wall clock as it goes now: nanoseconds since 1970.
    public var arrivalUnixNanoseconds: Int64 {
        arrival.nanoseconds &+ (WallClock.unixNanoseconds() &- MonotonicTime.now().nanoseconds)
    }

    @_lifetime(copy payload)
    init(
        track: Int, header: Header, isKeyframe: Bool, arrival: MonotonicTime, byteCount: Int, payload: RawSpan
    ) {
        self.track = track
        sequenceNumber = header.sequenceNumber.rawValue
        timestamp = header.timestamp
        isMarked = header.isMarked
        self.isKeyframe = isKeyframe
        self.arrival = arrival
        self.byteCount = byteCount
        self.payload = payload
    }
}
