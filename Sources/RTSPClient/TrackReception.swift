import Media
import RTP
import RTSP
import Reactor
import SDP

/// One track of a session: where its packets come from, and how well they arrive.
struct TrackReception: ~Copyable {
    enum Route {
        case none
        case interleaved(ChannelPair)
        /// Packets come to `sockets`; reports go to `server`, where there is one to go to.
        case datagrams(server: SocketAddress?)
    }

    let track: DescribedTrack
    var route = Route.none
    /// Bound before SETUP on UDP, after it on multicast.
    var sockets: Reactor.RTPSocketPair?
    private var statistics: ReceptionStatistics
    private var source: SSRC?

    init(_ track: DescribedTrack, sockets: consuming Reactor.RTPSocketPair?) {
        self.track = track
        self.sockets = sockets
        statistics = ReceptionStatistics(clockRate: track.clockRate)
    }

    /// The server said who will send.
    mutating func expect(_ ssrc: UInt32?) {
        source = ssrc.map { SSRC($0) }
    }

    /// Reads a packet and counts it; `nil` for what is no RTP, or of another source: ports of viewers that vanished get
    /// used again.
    mutating func accept(_ packet: RawSpan, arrival: MonotonicTime) -> (header: Header, payload: Range<Int>)? {
        guard let parsed = Header.parse(packet), parsed.header.payloadType.rawValue == track.payloadType else {
            return nil
        }
        guard parsed.header.ssrc == source ?? parsed.header.ssrc else { return nil }
        source = parsed.header.ssrc
        statistics.received(parsed.header.sequenceNumber, rtpTimestamp: parsed.header.timestamp, arrival: arrival)
        return parsed
    }

    /// Reads a sender report out of a compound; `nil` where there is none of this source, or the bytes are no RTCP.
    mutating func senderReport(in datagram: RawSpan, arrival: MonotonicTime) -> SenderReport? {
        // What is no RTCP is passed over: it may be anyone's.
        guard let compound = try? Compound(parsing: datagram) else { return nil }
        for case .senderReport(let report) in compound.packets where report.ssrc == source ?? report.ssrc {
            statistics.received(report, arrival: arrival)
            return report
        }
        return nil
    }

    /// The receiver report that is due.
    mutating func report(from ssrc: SSRC, at now: MonotonicTime) -> [UInt8]? {
        guard let source else { return nil }
        let report = ReceiverReport(ssrc: ssrc, blocks: [statistics.reportBlock(for: source, now: now)])
        return Compound(report: report, canonicalName: "apus-client").encoded()
    }

    /// Whether decoding can start at a packet with this payload.
    func beginsKeyframe(_ payload: RawSpan) -> Bool {
        guard case .h264 = track.payload else { return true }
        return H264Peek.beginsIDR(payload)
    }
}
