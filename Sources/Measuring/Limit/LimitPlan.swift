import Reactor

/// What `apus bench limit` is asked to do: access units of packets of one size, each to so many viewers.
public struct LimitPlan: Equatable, Sendable {
    public let viewers: Int
    /// Of the payloads, per viewer.
    public let bitsPerSecond: Int
    public let unitsPerSecond: Double
    /// On average: with 7.4, units have seven packets or eight.
    public let packetsPerUnit: Double
    /// Of each packet's payload.
    public let payloadByteCount: Int
    /// How long each way of sending is measured, in all its rounds.
    public var seconds = 3.0
    /// Whether units leave at the stream's rate; else as fast as the receivers read.
    public var isPaced = true
    /// How often the ways take turns: what else the machine does then falls on all of them.
    public var rounds = 3

    /// - Throws: where no such packets can be.
    public init(
        viewers: Int, bitsPerSecond: Int = 2_000_000, unitsPerSecond: Double = 30, packetsPerUnit: Double = 7.4
    ) throws(LimitFailure) {
        let unit = Double(bitsPerSecond) / 8 / unitsPerSecond
        guard viewers > 0, packetsPerUnit >= 1, packetsPerUnit <= Self.mostPacketsPerUnit,
            unit >= packetsPerUnit, unit <= 1e9
        else {
            throw LimitFailure(
                reason: "\(bitsPerSecond) bit/s at \(unitsPerSecond) fps cannot be \(packetsPerUnit) packets per unit",
                remedy: "packets have at least a byte, and a unit has 1 to \(Int(Self.mostPacketsPerUnit)) of them")
        }
        payloadByteCount = Int((unit / packetsPerUnit).rounded())
        guard payloadByteCount <= Self.mostPayloadBytes else {
            let least = ReportTable.number((unit / Double(Self.mostPayloadBytes) + 0.05), digits: 1)
            throw LimitFailure(
                reason: "packets of \(payloadByteCount) bytes do not pass an Ethernet",
                remedy: "a unit of this bitrate and rate takes at least \(least) packets (--packets-per-unit)")
        }
        (self.viewers, self.bitsPerSecond) = (viewers, bitsPerSecond)
        (self.unitsPerSecond, self.packetsPerUnit) = (unitsPerSecond, packetsPerUnit)
    }

    /// Packets that one `writev` takes, of two vectors each (IOV_MAX).
    private static let mostPacketsPerUnit = 512.0
    /// 1 500 bytes of Ethernet less IPv4's, UDP's and RTP's headers.
    private static let mostPayloadBytes = 1_460
}

extension LimitPlan {
    /// With the RTP header.
    var packetByteCount: Int { RTPPrefix.datagram.rawValue + payloadByteCount }

    /// How many packets the unit of this number has: the average is `packetsPerUnit`.
    func packets(inUnit number: Int) -> Int {
        Int(Double(number + 1) * packetsPerUnit) - Int(Double(number) * packetsPerUnit)
    }

    /// The most packets that a unit has.
    var mostPackets: Int { Int(packetsPerUnit.rounded(.up)) }

    /// The most packets that the kernel cuts one message into.
    var packetsPerGSOBatch: Int { min(GSO.maximumSegmentCount, GSO.maximumByteCount / packetByteCount) }

    /// Nanoseconds from one unit to the next.
    var unitNanoseconds: Double { 1e9 / unitsPerSecond }
}

/// What stands before each payload, in bytes.
enum RTPPrefix: Int {
    /// RFC 3550, 5.1, without contributing sources.
    case datagram = 12
    /// The same behind `$`, channel and length (RFC 2326, 10.12).
    case interleaved = 16
}

/// Why the limit could not be measured, and what helps.
public struct LimitFailure: Error, Equatable, CustomStringConvertible, Sendable {
    public let reason: String
    public let remedy: String

    public var description: String { "\(reason): \(remedy)" }
}
