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

    /// The server has announced the SSRC of the track.
    mutating func expect(_ ssrc: UInt32?) {
        source = ssrc.map { SSRC($0) }
    }

    /// Parses and counts a packet; `nil` if it is not RTP or comes from another source, because the ports of former viewers are
    /// reused.
    mutating func accept(_ packet: RawSpan, arrival: MonotonicTime) -> (header: Header, payload: Range<Int>)? {
        guard let parsed = Header.parse(packet), parsed.header.payloadType.rawValue == track.payloadType else {
            return nil
        }
        guard parsed.header.ssrc == source ?? parsed.header.ssrc else { return nil }
        source = parsed.header.ssrc
        statistics.received(parsed.header.sequenceNumber, rtpTimestamp: parsed.header.timestamp, arrival: arrival)
        return parsed
    }

    /// Reads the sender report in a compound packet; `nil` if there is none of this source, or if the packet is not RTCP.
    mutating func senderReport(in datagram: RawSpan, arrival: MonotonicTime) -> SenderReport? {
        // Invalid packets are ignored: any host may send them.
        guard let compound = try? Compound(parsing: datagram) else { return nil }
        for case .senderReport(let report) in compound.packets where report.ssrc == source ?? report.ssrc {
            statistics.received(report, arrival: arrival)
            return report
        }
        return nil
    }

    /// The next receiver report.
    mutating func report(from ssrc: SSRC, at now: MonotonicTime) -> [UInt8]? {
        guard let source else { return nil }
        let report = ReceiverReport(ssrc: ssrc, blocks: [statistics.reportBlock(for: source, now: now)])
        return Compound(report: report, canonicalName: "apus-client").encoded()
    }

    /// Whether decoding can start at a packet with this payload.
    func beginsKeyframe(_ payload: RawSpan) -> Bool {
        switch track.payload.codec {
        case .h264: H264Peek.beginsIDR(payload)
        case .aac, nil: true
        }
    }
}
