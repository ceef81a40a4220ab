import Media
import RTP
import SDP
import WebRTC

/// The reception of one track of a session: which packets are its own, what is missing, and when a keyframe is needed.
struct TrackPlayback {
    let agreed: PlaybackAgreement.AgreedTrack
    private var admission: TrackAdmission
    private let payloadType: PayloadType
    /// Whether no keyframe of video has begun.
    private(set) var awaitsKeyframe: Bool
    private var nextKeyframeRequest = MonotonicTime.distantFuture

    /// The canonical name in reports (RFC 3550, section 6.5.1).
    static let canonicalName = "apus-client"
    /// After the first packet, a keyframe may take so long, in milliseconds, before it is requested, and requested again.
    private static let keyframeMilliseconds: Int64 = 500

    /// - Parameter patience: how long a missing packet is awaited, in nanoseconds; `nil` if none is requested.
    init(_ agreed: PlaybackAgreement.AgreedTrack, patience: Int64?, roundTrip: Int64?) {
        self.agreed = agreed
        let track = agreed.track
        payloadType = PayloadType(lowBitsOf: track.description.payloadType)
        // The packets are authenticated, so only the server can send them.
        admission = TrackAdmission(
            payloadType: payloadType.rawValue, clockRate: track.description.clockRate, announced: track.source,
            isPrivate: true, isBundled: true)
        if let patience, track.feedback.contains("nack") {
            admission.request(by: RetransmissionRequests(patience: patience, roundTrip: roundTrip))
        }
        awaitsKeyframe = track.kind == .video
    }

    /// Whether the packet contains a lost packet of this track.
    func isRetransmission(_ type: PayloadType) -> Bool { type == agreed.retransmission }

    /// The lost packet in a decrypted packet.
    func original(in packet: RawSpan) -> [UInt8]? {
        guard let source = admission.source ?? agreed.track.source else { return nil }
        return RetransmittedPacket.original(of: packet, payloadType: payloadType, source: source)
    }

    /// Parses and counts a packet; `nil` if it is not RTP of this track.
    mutating func accept(
        _ packet: RawSpan, arrival: MonotonicTime
    ) -> (header: Header, payload: Range<Int>, origin: PacketOrigin)? {
        guard let accepted = admission.accept(packet, arrival: arrival) else { return nil }
        if awaitsKeyframe, nextKeyframeRequest == .distantFuture {
            nextKeyframeRequest = arrival.advanced(byMilliseconds: Self.keyframeMilliseconds)
        }
        return accepted
    }

    /// Whether decoding can start at a packet with this payload.
    mutating func beginsKeyframe(_ payload: RawSpan) -> Bool {
        let begins =
            switch agreed.track.description.payload.codec {
            case .h264: H264Peek.beginsIDR(payload)
            case .h265: H265PayloadHeader.beginsRandomAccessPoint(payload)
            case .aac, .opus, .pcma, .pcmu, nil: true
            }
        if begins { (awaitsKeyframe, nextKeyframeRequest) = (false, .distantFuture) }
        return begins
    }

    mutating func senderReport(in compound: Compound, arrival: MonotonicTime) -> SenderReport? {
        admission.senderReport(in: compound, arrival: arrival)
    }

    /// The source of the track's packets; `nil` before the first one.
    var source: SSRC? { admission.source }

    /// The next receiver report.
    mutating func report(from ssrc: SSRC, at now: MonotonicTime) -> [UInt8]? {
        admission.report(from: ssrc, canonicalName: Self.canonicalName, at: now)
    }

    /// When to call ``requests(from:at:)``.
    var nextRequest: MonotonicTime { min(admission.nextRequest, nextKeyframeRequest) }

    /// The requests that are due: for missing packets, and for the first keyframe.
    mutating func requests(from ssrc: SSRC, at now: MonotonicTime) -> [[UInt8]] {
        var requests: [[UInt8]] = []
        let missing = admission.retransmissionRequest(from: ssrc, canonicalName: Self.canonicalName, at: now)
        if let missing { requests.append(missing) }
        guard nextKeyframeRequest <= now else { return requests }
        nextKeyframeRequest = now.advanced(byMilliseconds: Self.keyframeMilliseconds)
        if let request = keyframeRequest(from: ssrc) { requests.append(request) }
        return requests
    }

    /// A PLI; `nil` if the server takes none, or before the first packet (RFC 4585, section 6.3.1).
    func keyframeRequest(from ssrc: SSRC) -> [UInt8]? {
        guard agreed.track.description.takesKeyframeRequests, let source else { return nil }
        let request = Feedback(sender: ssrc, request: .pictureLossIndication(media: source))
        return Compound(
            report: ReceiverReport(ssrc: ssrc), canonicalName: Self.canonicalName, feedback: [request]
        ).encoded()
    }
}
