import RTP

/// The protection of one track of a publisher: its packets and reports, and our receiver reports.
public struct ReceptionProtection {
    public let incoming: IncomingProtection
    public let outgoing: OutgoingReports

    /// - Parameters:
    ///   - peer: The key of the publisher's packets.
    ///   - own: The master key for our reports.
    public init(peer: SenderKey, own: MasterKey) throws(SRTPFailure) {
        incoming = try IncomingProtection(peer)
        outgoing = try OutgoingReports(own)
    }
}
