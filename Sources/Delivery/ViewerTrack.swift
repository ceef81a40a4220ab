import Media
import RTP

/// One track as one viewer gets it: its numbers, its place on the wire, and what has been counted for its reports.
/// Confined to its loop.
public final class ViewerTrack {
    /// Payload type, SSRC, next sequence number, timestamp offset.
    public internal(set) var rewriter: HeaderRewriter
    /// Where the packets go.
    public let lane: Lane
    /// What its RTP timestamps count.
    let clockRate: ClockRate
    /// Packets and payload octets sent, as sender reports count them: both wrap (RFC 3550, section 6.4.1).
    var packetCount: UInt32 = 0
    var octetCount: UInt32 = 0

    /// How one track's packets travel.
    public enum Lane {
        /// To an address of the client's, or of a group.
        case udp(UDPRoute)
        /// Inside the RTSP connection, on these channels: the client names both, in any order.
        case interleaved(channel: UInt8, reportChannel: UInt8)
    }

    public init(rewriter: HeaderRewriter, lane: Lane, clockRate: ClockRate) {
        self.rewriter = rewriter
        self.clockRate = clockRate
        self.lane = lane
    }

    /// Packets have been handed over.
    func count(packets: Int, octets: Int) {
        rewriter.advance(by: packets)
        packetCount &+= UInt32(truncatingIfNeeded: packets)
        octetCount &+= UInt32(truncatingIfNeeded: octets)
    }

    /// Packets were not taken after all: they will be sent again under the same numbers.
    func takeBack(packets: Int, octets: Int) {
        rewriter.advance(by: -packets)
        packetCount &-= UInt32(truncatingIfNeeded: packets)
        octetCount &-= UInt32(truncatingIfNeeded: octets)
    }
}
