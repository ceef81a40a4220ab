import Media
import RTP

/// The RTP-Info entry of one track.
public struct FirstPacket: Hashable, Sendable {
    public let track: TrackID
    public let sequenceNumber: SequenceNumber
    /// `nil` if the first unit does not exist yet.
    public var timestamp: UInt32?
}
