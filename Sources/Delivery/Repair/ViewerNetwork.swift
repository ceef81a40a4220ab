import RateControl

/// How well the packets of a viewer arrive, according to the requests and reports of its client.
public struct ViewerNetwork: Hashable, Sendable {
    /// What the client has asked to be sent again; `nil` if it asks for nothing.
    public var repair: RepairCounts?
    /// Packets that the client lacks after repair, by its last reports; `nil` without a report.
    public var missingPackets: Int64?
    /// The share of packets lost since the report before the last, 0 … 1: that of the worst track.
    public var lossShare: Double?
    /// The last round-trip time; `nil` if the client has reported none.
    public var roundTripNanoseconds: Int64?
    /// Bytes that the client has not acknowledged by a message of its protocol; `nil` if it has sent none.
    public var bytesInFlight: UInt64?

    /// What the path carries; `nil` if the encoder does not follow the viewers, and they do not move between renditions.
    public var capacity: PathEstimate?
    /// The path of the rendition that the viewer gets; `nil` if it is the path of its URL.
    public var rendition: String?

    public init() {}

    /// For the log: `3 of 120 packets for good`; `nil` without losses.
    public var lossText: String? {
        let missing = missingPackets ?? 0
        let lost = max(Int64(clamping: repair?.lost ?? 0), missing)
        guard lost > 0 else { return nil }
        return repair == nil ? "\(missing) packets" : "\(lost) packets, \(missing) for good"
    }
}

extension Viewer {
    /// Whether its client may ask for lost packets. Over a connection, nothing is lost.
    public var asksForLostPackets: Bool { repair != nil && output == nil }

    public var network: ViewerNetwork {
        var network = ViewerNetwork()
        network.repair = asksForLostPackets ? repair?.counts : nil
        network.capacity = path?.estimate
        if let renditions, renditions.isReduced { network.rendition = renditions.current.path }
        for (index, track) in tracks.enumerated() {
            guard let track, isFirst(track, at: index), let reception = track.reception else { continue }
            network.roundTripNanoseconds = reception.roundTripNanoseconds ?? network.roundTripNanoseconds
            // The client counts copies as received, so that its count tells nothing.
            if track.repair?.hasSentCopies == true { continue }
            network.missingPackets = (network.missingPackets ?? 0) + reception.missingPackets
            network.lossShare = max(network.lossShare ?? 0, reception.lossShare)
        }
        return network
    }
}
