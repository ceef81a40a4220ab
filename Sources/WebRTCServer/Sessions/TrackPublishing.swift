import Media
import RTP
import WebRTC

/// The reception of one track of a publisher: which packets are its own, what is missing, and the requests for that.
struct TrackPublishing {
    let published: PublishedTrack
    private var admission: TrackAdmission
    /// The packets of the present source. Only kept if lost packets are sent again in a stream of their own.
    private var received = ReceivedNumbers()
    /// When a keyframe was last asked for.
    private var lastKeyframeRequest = MonotonicTime(nanoseconds: .min / 2)

    /// How long a missing packet is waited for, in nanoseconds: as long as the reception does.
    private static let repairPatience: Int64 = 50_000_000
    /// The least time between two keyframe requests, in nanoseconds: an encoder needs some time for one.
    private static let keyframeInterval: Int64 = 300_000_000

    init(_ published: PublishedTrack) {
        self.published = published
        // The packets are authenticated, so only the publisher can send them.
        admission = TrackAdmission(
            payloadType: published.description.payloadType, clockRate: published.description.clockRate, announced: nil,
            isPrivate: true, isBundled: true)
    }

    // MARK: Input

    /// The publisher sends from now on. Before, its session must be small, and the list of missing packets has 16 KB.
    mutating func begin() {
        guard published.feedback.contains("nack") else { return }
        // The round trip is unknown. The usual assumption is as long as the patience, so that nothing would be
        // requested, and no answer could tell the real one.
        admission.request(by: RetransmissionRequests(patience: Self.repairPatience, roundTrip: 0))
    }

    /// Parses and counts a packet; `nil` if it is not RTP of this track.
    mutating func accept(_ packet: RawSpan, arrival: MonotonicTime) -> (header: Header, payload: Range<Int>)? {
        let former = admission.source
        guard let (header, payload, _) = admission.accept(packet, arrival: arrival) else { return nil }
        if published.retransmission != nil {
            if former != admission.source { received = ReceivedNumbers() }
            received.insert(header.sequenceNumber)
        }
        return (header, payload)
    }

    /// Whether packets of this type contain lost packets of the track. Before the first packet, none is lost.
    func isRetransmission(_ type: PayloadType) -> Bool { source != nil && type == published.retransmission }

    /// The lost packet in a decrypted packet; `nil` if there is none, or if it has been received.
    func original(in packet: RawSpan) -> [UInt8]? {
        guard let source,
            let original = RetransmittedPacket.original(
                of: packet, payloadType: PayloadType(lowBitsOf: published.description.payloadType), source: source),
            let (header, _) = Header.parse(original.span.bytes), received.lacks(header.sequenceNumber)
        else { return nil }
        return original
    }

    mutating func senderReport(in compound: Compound, arrival: MonotonicTime) -> SenderReport? {
        admission.senderReport(in: compound, arrival: arrival)
    }

    /// The source of the track's packets; `nil` before the first one.
    var source: SSRC? { admission.source }

    var statistics: ReceptionStatistics { admission.statistics }

    // MARK: Output

    /// The next receiver report; `nil` before the first packet.
    mutating func report(from ssrc: SSRC, canonicalName: String, at now: MonotonicTime) -> [UInt8]? {
        admission.report(from: ssrc, canonicalName: canonicalName, at: now)
    }

    /// When to call ``retransmissionRequest(from:canonicalName:at:)``; `distantFuture` if nothing is to be requested.
    var nextRequest: MonotonicTime { admission.nextRequest }

    /// The request for missing packets; `nil` if there is none now.
    mutating func retransmissionRequest(
        from ssrc: SSRC, canonicalName: String, at now: MonotonicTime
    ) -> [UInt8]? {
        let request = admission.retransmissionRequest(from: ssrc, canonicalName: canonicalName, at: now)
        // What this end has written can be read.
        guard published.takesReducedReports, let request, let compound = try? Compound(parsing: request.span.bytes)
        else { return request }
        return compound.feedbackAlone.encoded()
    }

    /// A request for a keyframe, at most every 300 ms; `nil` for audio, and before the first packet.
    mutating func keyframeRequest(from ssrc: SSRC, canonicalName: String, at now: MonotonicTime) -> [UInt8]? {
        guard published.kind == .video, let source, now - lastKeyframeRequest >= Self.keyframeInterval else {
            return nil
        }
        lastKeyframeRequest = now
        let compound = Compound(
            report: ReceiverReport(ssrc: ssrc), canonicalName: canonicalName,
            feedback: [Feedback(sender: ssrc, request: .pictureLossIndication(media: source))])
        return (published.takesReducedReports ? compound.feedbackAlone : compound).encoded()
    }
}

extension Compound {
    /// The same without what is not feedback (RFC 5506). FFmpeg reads only the first packet of a datagram.
    fileprivate var feedbackAlone: Compound {
        Compound(packets.filter { if case .feedback = $0 { true } else { false } })
    }
}
