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
    private(set) var route = Route.none
    /// Bound before SETUP on UDP, after it on multicast.
    var sockets: Reactor.RTPSocketPair?
    private var statistics: ReceptionStatistics
    private var mediaSource: SourceSelection
    private var reportSource: SourceSelection

    init(_ track: DescribedTrack, sockets: consuming Reactor.RTPSocketPair?) {
        self.track = track
        self.sockets = sockets
        statistics = ReceptionStatistics(clockRate: track.clockRate)
        (mediaSource, reportSource) = Self.selections(announced: nil, isPrivate: false)
    }

    /// The server has answered SETUP.
    ///
    /// - Parameter ssrc: what the server announced for the track.
    mutating func begin(over route: Route, ssrc: UInt32?) {
        self.route = route
        let isPrivate = if case .interleaved = route { true } else { false }
        (mediaSource, reportSource) = Self.selections(announced: ssrc.map { SSRC($0) }, isPrivate: isPrivate)
    }

    private static func selections(announced: SSRC?, isPrivate: Bool) -> (
        media: SourceSelection, reports: SourceSelection
    ) {
        func selection(_ patience: Int64) -> SourceSelection {
            SourceSelection(announced: announced, isPrivate: isPrivate, patience: patience)
        }
        return (selection(SourceSelection.mediaPatience), selection(SourceSelection.reportPatience))
    }

    /// Parses and counts a packet; `nil` if it is not RTP or comes from another source (`SourceSelection`).
    mutating func accept(_ packet: RawSpan, arrival: MonotonicTime) -> (header: Header, payload: Range<Int>)? {
        guard let parsed = Header.parse(packet), parsed.header.payloadType.rawValue == track.payloadType else {
            return nil
        }
        let former = mediaSource.current
        guard mediaSource.takes(parsed.header.ssrc, at: arrival) else { return nil }
        if let former, former != mediaSource.current { statistics = ReceptionStatistics(clockRate: track.clockRate) }
        statistics.received(parsed.header.sequenceNumber, rtpTimestamp: parsed.header.timestamp, arrival: arrival)
        return parsed
    }

    /// Reads the sender report in a compound packet; `nil` if there is none of this source, or if the packet is not RTCP.
    mutating func senderReport(in datagram: RawSpan, arrival: MonotonicTime) -> SenderReport? {
        // Invalid packets are ignored: any host may send them.
        guard let compound = try? Compound(parsing: datagram, allowsReducedSize: true) else { return nil }
        for case .senderReport(let report) in compound.packets {
            let isOfMedia = report.ssrc == mediaSource.current
            guard reportSource.takes(report.ssrc, at: arrival, isCertain: isOfMedia) else { continue }
            statistics.received(report, arrival: arrival)
            return report
        }
        return nil
    }

    /// The next receiver report.
    mutating func report(from ssrc: SSRC, at now: MonotonicTime) -> [UInt8]? {
        guard let source = mediaSource.current else { return nil }
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
