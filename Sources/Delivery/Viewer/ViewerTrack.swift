import Media
import RTP
import Reactor
import SRTP

/// One track as sent to one viewer: its RTP numbers, its transport, and the counts for its sender reports.
/// Confined to its loop.
public final class ViewerTrack {
    /// Payload type, SSRC, next sequence number, timestamp offset.
    public internal(set) var rewriter: HeaderRewriter
    /// Where the packets go.
    public internal(set) var transport: TrackTransport
    /// The rate that its RTP timestamps count in.
    let clockRate: ClockRate
    /// The SRTP protection of packets in both directions; `nil` without SRTP.
    public let protection: TrackProtection?
    /// The repair of lost packets; `nil` if its client does not ask for any.
    public let repair: TrackRepair?
    /// What its client has reported last.
    public internal(set) var reception: ClientReception?
    /// The index of the next packet, which continues when sequence numbers wrap (RFC 3711, section 3.3.1).
    private(set) var packetIndex: UInt64
    /// Packets and payload octets sent, as sender reports count them. Both wrap (RFC 3550, section 6.4.1).
    var packetCount: UInt32 = 0
    var octetCount: UInt32 = 0

    /// The mean size of the last packets that were sent, with their headers, and the counts when it was determined.
    private(set) var meanPacketByteCount = 1_200
    private var meanBase: (packets: UInt32, octets: UInt32) = (0, 0)

    /// How the packets of one track are sent.
    public enum TrackTransport {
        /// To an address of the client, or of a multicast group.
        case udp(UDPRoute)
        /// Interleaved in the RTSP connection on these channels. The client chooses both, in any order.
        case interleaved(channel: UInt8, reportChannel: UInt8)
        /// In frames of a TCP connection (RFC 4571), RTP and RTCP together.
        case framed
    }

    public init(
        rewriter: HeaderRewriter, transport: TrackTransport, clockRate: ClockRate, protection: TrackProtection? = nil,
        repair: TrackRepair? = nil
    ) {
        self.rewriter = rewriter
        self.protection = protection
        self.repair = repair
        packetIndex = UInt64(rewriter.nextSequenceNumber.rawValue)
        self.clockRate = clockRate
        self.transport = transport
    }

    /// Determines the mean size of packets anew, if enough were sent since the last time. The counts wrap, their differences do not.
    func updateMeanPacketByteCount() {
        let packets = packetCount &- meanBase.packets
        guard packets >= 50 else { return }
        meanPacketByteCount = Int((octetCount &- meanBase.octets) / packets) + 12
        meanBase = (packetCount, octetCount)
    }

    /// Counts packets that have been handed over.
    func count(packets: Int, octets: Int) {
        rewriter.advance(by: packets)
        packetIndex &+= UInt64(packets)
        packetCount &+= UInt32(truncatingIfNeeded: packets)
        octetCount &+= UInt32(truncatingIfNeeded: octets)
    }

    /// Uncounts packets that were not taken. They will be sent again under the same numbers.
    func rollBack(packets: Int, octets: Int) {
        rewriter.advance(by: -packets)
        packetIndex &-= UInt64(packets)
        repair?.rollBack(packets)
        packetCount &-= UInt32(truncatingIfNeeded: packets)
        octetCount &-= UInt32(truncatingIfNeeded: octets)
    }
}

extension ViewerTrack {
    /// Whether a packet with this number was one of the last 4 096.
    func hasSent(_ number: SequenceNumber) -> Bool {
        let age = rewriter.nextSequenceNumber.distance(from: number)
        return age > 0 && age <= min(Int(packetCount), 4_096)
    }

    /// The index of a packet that was sent, at most 65 535 packets ago.
    func packetIndex(of number: SequenceNumber) -> UInt64 {
        packetIndex &- UInt64(rewriter.nextSequenceNumber.rawValue &- number.rawValue)
    }
}

// MARK: - Reports

extension ViewerTrack {
    /// The report as it is sent, encrypted if necessary; `nil` if no more reports may be sent.
    func protected(_ report: [UInt8]) -> [UInt8]? {
        guard let protection else { return report }
        return protection.outgoing.sealed(report: report)
    }

    /// Whether the client's reports come from `source`.
    public func acceptsReports(from source: SocketAddress) -> Bool {
        if case .udp(let route) = transport { route.reportDestination == source } else { false }
    }

    /// Whether the client's reports come on `channel`.
    public func acceptsReports(onChannel channel: UInt8) -> Bool {
        if case .interleaved(_, channel) = transport { true } else { false }
    }
}
