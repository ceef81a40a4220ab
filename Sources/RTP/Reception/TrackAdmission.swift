import Media

/// Decides which packets and sender reports of a track are taken, and counts them.
///
/// Any host may send packets to a UDP port, and devices send packets of other sources too: only those of the track's payload type
/// and source (``SourceSelection``) are taken.
public struct TrackAdmission: Sendable {
    private let payloadType: UInt8
    private let clockRate: ClockRate
    private var mediaSource: SourceSelection
    private var reportSource: SourceSelection
    private let announced: SSRC?
    private let isBundled: Bool
    /// What has come from the present source.
    public private(set) var statistics: ReceptionStatistics
    /// `nil` if missing packets are not requested.
    private var requests: RetransmissionRequests?

    /// - Parameters:
    ///   - announced: the source that the peer announced for the track.
    ///   - isPrivate: whether only the peer can send to the track, such as inside its own connection.
    ///   - isBundled: whether the peer's other tracks come the same way (BUNDLE, RFC 8843). A sender report of another source is that of
    ///     another track then, also before the first packet.
    public init(
        payloadType: UInt8, clockRate: ClockRate, announced: SSRC?, isPrivate: Bool, isBundled: Bool = false
    ) {
        (self.payloadType, self.clockRate) = (payloadType, clockRate)
        (self.announced, self.isBundled) = (announced, isBundled)
        mediaSource = SourceSelection(
            announced: announced, isPrivate: isPrivate, patience: SourceSelection.mediaPatience)
        reportSource = SourceSelection(
            announced: announced, isPrivate: isPrivate, patience: SourceSelection.reportPatience)
        statistics = ReceptionStatistics(clockRate: clockRate)
    }

    /// The source of the track's packets; `nil` before the first one.
    public var source: SSRC? { mediaSource.current }

    /// Requests missing packets from now on, because the sender sends them again as they were.
    public mutating func request(by requests: RetransmissionRequests) {
        self.requests = requests
    }

    /// Parses and counts a packet; `nil` if it is not RTP of this track.
    public mutating func accept(
        _ packet: RawSpan, arrival: MonotonicTime
    ) -> (header: Header, payload: Range<Int>, origin: PacketOrigin)? {
        guard let parsed = Header.parse(packet), parsed.header.payloadType.rawValue == payloadType else { return nil }
        let former = mediaSource.current
        guard mediaSource.takes(parsed.header.ssrc, at: arrival) else { return nil }
        if let former, former != mediaSource.current {
            statistics = ReceptionStatistics(clockRate: clockRate)
            requests?.beginAnew()
        }
        let origin = requests?.received(parsed.header.sequenceNumber, at: arrival) ?? .original
        switch origin {
        case .original:
            statistics.received(parsed.header.sequenceNumber, rtpTimestamp: parsed.header.timestamp, arrival: arrival)
        case .repair: statistics.receivedRepair()
        case .needlessRepair: break
        }
        return (parsed.header, parsed.payload, origin)
    }

    /// The sender report of the track's source in a compound packet; `nil` if there is none.
    public mutating func senderReport(in compound: Compound, arrival: MonotonicTime) -> SenderReport? {
        for case .senderReport(let report) in compound.packets {
            let isOfMedia = report.ssrc == mediaSource.current
            if isBundled, report.ssrc != source ?? announced { continue }
            guard reportSource.takes(report.ssrc, at: arrival, isCertain: isOfMedia) else { continue }
            statistics.received(report, arrival: arrival)
            return report
        }
        return nil
    }

    /// The next receiver report, from `ssrc`; `nil` before the first packet.
    public mutating func report(from ssrc: SSRC, canonicalName: String, at now: MonotonicTime) -> [UInt8]? {
        guard let source = mediaSource.current else { return nil }
        let report = ReceiverReport(ssrc: ssrc, blocks: [statistics.reportBlock(for: source, now: now)])
        return Compound(report: report, canonicalName: canonicalName).encoded()
    }

    /// When to call ``retransmissionRequest(from:canonicalName:at:)``; `distantFuture` if nothing is to be requested.
    public var nextRequest: MonotonicTime { requests?.nextDeadline ?? .distantFuture }

    /// The request for missing packets, from `ssrc`; `nil` if there is none now.
    public mutating func retransmissionRequest(
        from ssrc: SSRC, canonicalName: String, at now: MonotonicTime
    ) -> [UInt8]? {
        guard let source, let lost = requests?.takeRequests(at: now), !lost.isEmpty else { return nil }
        let request = Feedback(sender: ssrc, request: .genericNACK(media: source, lost))
        // With a report, because not all senders take feedback without one (RFC 5506).
        let report = ReceiverReport(ssrc: ssrc, blocks: [])
        return Compound(report: report, canonicalName: canonicalName, feedback: [request]).encoded()
    }
}
