import RTP

/// The protection of one track of one session in both directions.
public struct TrackProtection {
    public let outgoing: OutgoingProtection
    public let incoming: IncomingProtection

    /// - Parameters:
    ///   - own: The master key for the track's RTP and RTCP packets.
    ///   - ssrc: The SSRC of the track.
    ///   - peer: The master key of the peer's RTCP packets.
    public init(own: MasterKey, ssrc: UInt32, peer: MasterKey) throws(SRTPFailure) {
        outgoing = try OutgoingProtection(own, ssrc: ssrc)
        incoming = try IncomingProtection(peer)
    }
}
