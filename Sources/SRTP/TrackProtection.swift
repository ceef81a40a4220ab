import RTP

/// The protection of one track of a viewer: its packets, and the reports of both ends.
public struct TrackProtection {
    public let outgoing: OutgoingProtection
    public let incoming: IncomingReports

    /// - Parameters:
    ///   - own: The master key for the track's RTP and RTCP packets.
    ///   - ssrc: The SSRC of the track.
    ///   - peer: The master key of the peer's RTCP packets.
    public init(own: MasterKey, ssrc: UInt32, peer: MasterKey) throws(SRTPFailure) {
        outgoing = try OutgoingProtection(own, ssrc: ssrc)
        incoming = try IncomingReports(peer)
    }
}
