import MPEGTS
import Media

/// Turns a stream's access units into MPEG transport packets in RTP (RFC 2250, section 2): what SAT>IP and multicast
/// television send. One run per access unit or part of one; all tracks share the viewer's one sequence of packets.
public struct MPEGTSPackager: Packager {
    public typealias Output = PacketRun

    public struct Options: Hashable, Sendable {
        /// Transport packets in one RTP packet.
        let transportPacketCount: Int

        /// - Parameter maximumPacketBytes: UDP payload of the longest packet, with its 12-byte RTP header. One transport packet
        ///   is sent in any case; more than seven, which fit an Ethernet frame, are not.
        public init(maximumPacketBytes: Int = 1400) {
            let fitting = (maximumPacketBytes - Header.fixedByteCount) / TransportPacket.byteCount
            transportPacketCount = min(max(fitting, 1), 7)
        }

        var maximumPayloadByteCount: Int { transportPacketCount * TransportPacket.byteCount }
    }

    private let options: Options
    private var multiplexer: Multiplexer

    public init(tracks: [Track], options: Options) {
        self.options = options
        multiplexer = Multiplexer(tracks: tracks)
    }

    public mutating func package(_ unit: AccessUnit) -> PacketRun? {
        guard let packets = multiplexer.packets(of: unit) else { return nil }
        return Self.run(of: unit, byteCount: packets.byteCount, options) { packets.write(to: &$0) }
    }

    public func fastStart(_ units: [AccessUnit]) -> [PacketRun] {
        var before = self
        before.multiplexer = multiplexer.fastStart(of: units)
        return units.compactMap { before.package($0) }
    }

    /// A packet of null packets, which a receiver passes over and counts as life.
    public static func filler(_ options: Options) -> PacketRun? {
        let start = MediaTime(ticks: 0, rate: .video)
        let silence = AccessUnit(
            track: TrackID(0), presentationTime: start, decodeTime: start, isKeyframe: false, bytes: [0],
            units: [0..<1])
        return run(of: silence, byteCount: options.maximumPayloadByteCount, options) { output in
            for _ in 0..<options.transportPacketCount { TransportPacket.writeNull(to: &output) }
        }
    }

    /// Timestamps of transport streams count 90 kHz, whatever is inside, and tell when packets are sent (RFC 2250, section
    /// 2): that is a unit's decode time, which never goes back. The marker means a break in them: never set.
    private static func run(
        of unit: AccessUnit, byteCount: Int, _ options: Options, write: (inout OutputRawSpan) -> Void
    ) -> PacketRun? {
        let sent = unit.decodeTime.at90kHz
        let timed = unit.at(presentationTime: sent, decodeTime: sent)
        return PacketRun(of: timed, capacity: byteCount) { writer in
            writer.append(byteCount: byteCount, write)
            writer.endPackets(each: options.maximumPayloadByteCount)
            writer.marksAccessUnits = false
        }
    }
}
