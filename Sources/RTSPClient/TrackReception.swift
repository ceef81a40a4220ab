import Media
import RTP
import RTSP
import Reactor
import SDP

/// The reception of one track: its sockets or channels, and its statistics.
struct TrackReception: ~Copyable {
    enum Route {
        case none
        case interleaved(ChannelPair)
        /// Packets arrive at `sockets`; reports are sent to `server` if it is not `nil`.
        case datagrams(server: SocketAddress?)
    }

    /// The canonical name in reports (RFC 3550, section 6.5.1).
    static let canonicalName = "apus-client"

    let track: DescribedTrack
    private(set) var route = Route.none
    /// Bound before SETUP on UDP, after it on multicast.
    var sockets: Reactor.RTPSocketPair?
    private var admission: TrackAdmission

    init(_ track: DescribedTrack, sockets: consuming Reactor.RTPSocketPair?) {
        self.track = track
        self.sockets = sockets
        admission = Self.admission(of: track, announced: nil, isPrivate: false)
    }

    /// The server has answered SETUP.
    ///
    /// - Parameter ssrc: what the server announced for the track.
    mutating func begin(over route: Route, ssrc: UInt32?) {
        self.route = route
        let isPrivate = if case .interleaved = route { true } else { false }
        admission = Self.admission(of: track, announced: ssrc.map { SSRC($0) }, isPrivate: isPrivate)
    }

    private static func admission(of track: DescribedTrack, announced: SSRC?, isPrivate: Bool) -> TrackAdmission {
        TrackAdmission(
            payloadType: track.payloadType, clockRate: track.clockRate, announced: announced, isPrivate: isPrivate)
    }

    /// Requests missing packets from now on, if the server sends them again as they were.
    ///
    /// - Parameters:
    ///   - patience: how long a missing packet is awaited, in nanoseconds.
    ///   - roundTrip: to the server, in nanoseconds; `nil` if unknown.
    mutating func requestMissing(patience: Int64, roundTrip: Int64?) {
        guard track.repeatsLostPackets, case .datagrams(.some) = route else { return }
        admission.request(by: RetransmissionRequests(patience: patience, roundTrip: roundTrip))
    }

    /// Parses and counts a packet; `nil` if it is not RTP of this track.
    mutating func accept(
        _ packet: RawSpan, arrival: MonotonicTime
    ) -> (header: Header, payload: Range<Int>, origin: PacketOrigin)? {
        admission.accept(packet, arrival: arrival)
    }

    /// Reads the sender report in a compound packet; `nil` if there is none of this source, or if the packet is not RTCP.
    mutating func senderReport(in datagram: RawSpan, arrival: MonotonicTime) -> SenderReport? {
        // Invalid packets are ignored: any host may send them.
        guard let compound = try? Compound(parsing: datagram, allowsReducedSize: true) else { return nil }
        return admission.senderReport(in: compound, arrival: arrival)
    }

    /// What has come so far.
    var statistics: ReceptionStatistics { admission.statistics }

    /// The next receiver report.
    mutating func report(from ssrc: SSRC, at now: MonotonicTime) -> [UInt8]? {
        admission.report(from: ssrc, canonicalName: Self.canonicalName, at: now)
    }

    /// When to call ``retransmissionRequest(from:at:)``.
    var nextRequest: MonotonicTime { admission.nextRequest }

    /// The request for missing packets; `nil` if there is none now.
    mutating func retransmissionRequest(from ssrc: SSRC, at now: MonotonicTime) -> [UInt8]? {
        admission.retransmissionRequest(from: ssrc, canonicalName: Self.canonicalName, at: now)
    }

    /// A PLI; `nil` if the description does not offer it, or before the first packet (RFC 4585, section 6.3.1).
    func keyframeRequest(from ssrc: SSRC) -> [UInt8]? {
        guard track.takesKeyframeRequests, let source = admission.source else { return nil }
        let request = Feedback(sender: ssrc, request: .pictureLossIndication(media: source))
        let report = ReceiverReport(ssrc: ssrc, blocks: [])
        return Compound(report: report, canonicalName: Self.canonicalName, feedback: [request]).encoded()
    }

    /// Whether decoding can start at a packet with this payload.
    func beginsKeyframe(_ payload: RawSpan) -> Bool {
        switch track.payload.codec {
        case .h264: H264Peek.beginsIDR(payload)
        case .h265: H265PayloadHeader.beginsRandomAccessPoint(payload)
        case .aac, .opus, .pcma, .pcmu, nil: true
        }
    }
}
