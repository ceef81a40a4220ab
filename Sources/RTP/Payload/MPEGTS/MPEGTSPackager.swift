import MPEGTS
import Media

/// Turns a stream's access units into MPEG transport packets in RTP (RFC 2250, section 2): what SAT>IP and multicast
/// television send. One run per access unit or part of one; all tracks share the viewer's one sequence of packets.
public struct MPEGTSPackager: Packager {
    public typealias Output = PacketRun

    public struct Options: Hashable, Sendable {
        public init() {}
    }

    /// Seven transport packets are what fits an Ethernet frame.
    private static let transportPacketsPerPacket = 7

    private var multiplexer: Multiplexer

    public init(tracks: [Track], options: Options) {
        multiplexer = Multiplexer(tracks: tracks)
    }

    public mutating func package(_ unit: AccessUnit) -> PacketRun? {
        guard let packets = multiplexer.packets(of: unit) else { return nil }
        return Self.run(of: unit, byteCount: packets.byteCount) { packets.write(to: &$0) }
    }

    public func prelude(_ units: [AccessUnit]) -> [PacketRun] {
        var before = self
        before.multiplexer = multiplexer.leadIn(of: units)
        return units.compactMap { before.package($0) }
    }

    /// A packet of null packets, which a receiver passes over and counts as life.
    public static let filler: PacketRun? = {
        let start = MediaTime(ticks: 0, rate: .video)
        let silence = AccessUnit(
            track: TrackID(0), presentationTime: start, decodeTime: start, isRandomAccess: false, bytes: [0],
            units: [0..<1])
        return run(of: silence, byteCount: transportPacketsPerPacket * TransportPacket.byteCount) { output in
            for _ in 0..<transportPacketsPerPacket { TransportPacket.writeNull(to: &output) }
        }
    }()

    /// Timestamps of transport streams count 90 kHz, whatever is inside, and tell when packets are sent (RFC 2250, section
    /// 2): that is a unit's decode time, which never goes back. The marker means a break in them: never set.
    private static func run(
        of unit: AccessUnit, byteCount: Int, write: (inout OutputRawSpan) -> Void
    ) -> PacketRun? {
        let sent = unit.decodeTime.at90kHz
        let timed = unit.at(presentationTime: sent, decodeTime: sent)
        return PacketRun(of: timed, capacity: byteCount) { writer in
            writer.append(byteCount: byteCount, write)
            writer.endPackets(each: transportPacketsPerPacket * TransportPacket.byteCount)
            writer.marksAccessUnits = false
        }
    }
}
