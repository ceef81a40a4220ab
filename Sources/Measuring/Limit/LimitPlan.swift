import Reactor

/// The task of `apus bench limit`: to send access units, in packets of one size, to a number of viewers.
public struct LimitPlan: Equatable, Sendable {
    public let viewers: Int
    /// Of the payloads, per viewer, in bit/s.
    public let bitrate: Int
    public let unitsPerSecond: Double
    /// The average: with 7.4, units have seven or eight packets.
    public let packetsPerUnit: Double
    /// Of each packet's payload.
    public let payloadByteCount: Int
    /// How long each sending method is measured, over all rounds.
    public var seconds = 3.0
    /// Whether units are sent at the stream's rate; otherwise as fast as the receivers read.
    public var isPaced = true
    /// How often the methods take turns, so that other load on the machine affects all of them.
    public var rounds = 3

    /// - Throws: if such packets are impossible.
    public init(
        viewers: Int, bitrate: Int = 2_000_000, unitsPerSecond: Double = 30, packetsPerUnit: Double = 7.4
    ) throws(LimitFailure) {
        let unit = Double(bitrate) / 8 / unitsPerSecond
        guard viewers > 0, packetsPerUnit >= 1, packetsPerUnit <= Self.mostPacketsPerUnit,
            unit >= packetsPerUnit, unit <= 1e9
        else {
            throw LimitFailure(
                reason:
                    "\(bitrate) bit/s at \(unitsPerSecond) fps cannot be sent in \(packetsPerUnit) packets per unit",
                remedy: "a packet has at least one byte, and a unit has 1 to \(Int(Self.mostPacketsPerUnit)) packets")
        }
        payloadByteCount = Int((unit / packetsPerUnit).rounded())
        guard payloadByteCount <= Self.mostPayloadBytes else {
            let least = ReportTable.number((unit / Double(Self.mostPayloadBytes) + 0.05), digits: 1)
            throw LimitFailure(
                reason: "packets of \(payloadByteCount) bytes are too long for Ethernet",
                remedy: "a unit at this bitrate and frame rate needs at least \(least) packets (--packets-per-unit)")
        }
        (self.viewers, self.bitrate) = (viewers, bitrate)
        (self.unitsPerSecond, self.packetsPerUnit) = (unitsPerSecond, packetsPerUnit)
    }

    /// The packets, of two vectors each, that one `writev` accepts (IOV_MAX).
    private static let mostPacketsPerUnit = 512.0
    /// The 1 500 bytes of Ethernet less the headers of IPv4, UDP and RTP.
    private static let mostPayloadBytes = 1_460
}

extension LimitPlan {
    /// Including the RTP header.
    var packetByteCount: Int { RTPPrefix.datagram.rawValue + payloadByteCount }

    /// The number of packets of a unit; the average is `packetsPerUnit`.
    func packets(inUnit number: Int) -> Int {
        Int(Double(number + 1) * packetsPerUnit) - Int(Double(number) * packetsPerUnit)
    }

    /// The maximum number of packets of a unit.
    var mostPackets: Int { Int(packetsPerUnit.rounded(.up)) }

    /// The maximum number of packets that the kernel segments one message into.
    var packetsPerGSOBatch: Int { min(GSO.maximumSegmentCount, GSO.maximumByteCount / packetByteCount) }

    /// Nanoseconds from one unit to the next.
    var unitNanoseconds: Double { 1e9 / unitsPerSecond }
}

/// The bytes before each payload.
enum RTPPrefix: Int {
    /// RFC 3550, 5.1, without contributing sources.
    case datagram = 12
    /// The RTP header after `$`, channel and length (RFC 2326, 10.12).
    case interleaved = 16
}

/// Why the limit could not be measured, with a remedy.
public struct LimitFailure: Error, Equatable, CustomStringConvertible, Sendable {
    public let reason: String
    public let remedy: String

    public var description: String { "\(reason): \(remedy)" }
}
