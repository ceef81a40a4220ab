import MPEGTS
import Media

/// Packages a stream as MPEG-TS over RTP (RFC 2250, section 2), the format of SAT>IP and multicast television. There is one run
/// per access unit or part of one. All tracks share one RTP stream per viewer.
public struct MPEGTSPackager: Packager {
    public typealias Output = PacketRun

    public struct Options: Hashable, Sendable {
        /// Transport packets per RTP packet.
        let transportPacketCount: Int

        /// - Parameter maximumPacketBytes: the maximum UDP payload, including the 12-byte RTP header. A packet contains one to seven
        ///   transport packets; seven fit an Ethernet frame.
        public init(maximumPacketBytes: Int = 1400) {
            let fitting = (maximumPacketBytes - Header.fixedByteCount) / TransportPacket.byteCount
            transportPacketCount = min(max(fitting, 1), 7)
        }

        var maximumPayloadByteCount: Int { transportPacketCount * TransportPacket.byteCount }
    }

    public static func carries(_ track: Track) -> Bool { track.codec.facts.streamType != nil }

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

    /// A packet of MPEG-TS null packets, which receivers ignore but which keep their connection alive.
    public static func filler(_ options: Options) -> PacketRun? {
        let start = MediaTime(ticks: 0, rate: .video)
        let silence = AccessUnit(
            track: TrackID(0), presentationTime: start, decodeTime: start, isKeyframe: false, bytes: [0],
            units: [0..<1])
        return run(of: silence, byteCount: options.maximumPayloadByteCount, options) { output in
            for _ in 0..<options.transportPacketCount { TransportPacket.writeNull(to: &output) }
        }
    }

    /// The RTP timestamps of transport streams have a clock of 90 kHz for all contents and give the sending time (RFC 2250,
    /// section 2). Apus uses the decode time, which never decreases. The marker bit means a discontinuity, so it is never set.
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
