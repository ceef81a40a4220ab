import Media
import RTP
import Reactor
import SRTP

/// One track as one viewer gets it: its numbers, its place on the wire, and what has been counted for its reports.
/// Confined to its loop.
public final class ViewerTrack {
    /// Payload type, SSRC, next sequence number, timestamp offset.
    public internal(set) var rewriter: HeaderRewriter
    /// Where the packets go.
    public let transport: TrackTransport
    /// What its RTP timestamps count.
    let clockRate: ClockRate
    /// What encrypts and authenticates what is sent, and what is heard; `nil` where nothing does.
    public let protection: TrackProtection?
    /// The number of the next packet, counted on where sequence numbers wrap (RFC 3711, section 3.3.1).
    private(set) var packetIndex: UInt64
    /// Packets and payload octets sent, as sender reports count them: both wrap (RFC 3550, section 6.4.1).
    var packetCount: UInt32 = 0
    var octetCount: UInt32 = 0

    /// How one track's packets travel.
    public enum TrackTransport {
        /// To an address of the client's, or of a group.
        case udp(UDPRoute)
        /// Inside the RTSP connection, on these channels: the client names both, in any order.
        case interleaved(channel: UInt8, reportChannel: UInt8)
    }

    public init(
        rewriter: HeaderRewriter, transport: TrackTransport, clockRate: ClockRate, protection: TrackProtection? = nil
    ) {
        self.rewriter = rewriter
        self.protection = protection
        packetIndex = UInt64(rewriter.nextSequenceNumber.rawValue)
        self.clockRate = clockRate
        self.transport = transport
    }

    /// Packets have been handed over.
    func count(packets: Int, octets: Int) {
        rewriter.advance(by: packets)
        packetIndex &+= UInt64(packets)
        packetCount &+= UInt32(truncatingIfNeeded: packets)
        octetCount &+= UInt32(truncatingIfNeeded: octets)
    }

    /// Packets were not taken after all: they will be sent again under the same numbers.
    func takeBack(packets: Int, octets: Int) {
        rewriter.advance(by: -packets)
        packetIndex &-= UInt64(packets)
        packetCount &-= UInt32(truncatingIfNeeded: packets)
        octetCount &-= UInt32(truncatingIfNeeded: octets)
    }
}

// MARK: - Reports

extension ViewerTrack {
    /// A report as it leaves; `nil` where none may leave any more.
    func protected(_ report: [UInt8]) -> [UInt8]? {
        guard let protection else { return report }
        return protection.outgoing.sealed(report: report)
    }

    /// Whether its client's reports come from `source`.
    public func hears(_ source: SocketAddress) -> Bool {
        if case .udp(let route) = transport { route.reportDestination == source } else { false }
    }

    /// Whether its client's reports come on `channel`.
    public func hears(channel: UInt8) -> Bool {
        if case .interleaved(_, channel) = transport { true } else { false }
    }
}
