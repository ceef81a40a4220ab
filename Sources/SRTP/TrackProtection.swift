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
        try self.init(own: own, ssrc: ssrc, reports: IncomingReports(peer))
    }

    /// - Parameter reports: opens the peer's RTCP packets about all tracks of its session, which come over one transport.
    public init(own: MasterKey, ssrc: UInt32, reports: IncomingReports) throws(SRTPFailure) {
        outgoing = try OutgoingProtection(own, ssrc: ssrc)
        incoming = reports
    }
}
