import RTP

/// What protects one track of one session, both ways.
public struct TrackProtection {
    public let outgoing: OutgoingProtection
    public let incoming: IncomingProtection

    /// - Parameters:
    ///   - own: what the track's packets and reports are protected with.
    ///   - ssrc: of the track.
    ///   - peer: what the peer's reports are.
    public init(own: MasterKey, ssrc: UInt32, peer: MasterKey) throws(SRTPFailure) {
        outgoing = try OutgoingProtection(own, ssrc: ssrc)
        incoming = try IncomingProtection(peer)
    }
}
