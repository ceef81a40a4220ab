/// The quantities that a command measures and that its thresholds may name. A name means the same in all commands.
public enum Vocabulary: Sendable, CaseIterable {
    /// `measure`
    case stream
    /// `bench viewers`
    case viewers
    /// `bench joins`
    case joins
    /// `bench encoding`
    case encoding
    /// `bench limit`
    case limit

    /// The first is the default, for thresholds such as `p99>50ms`.
    var distributions: [Quantity.Distribution] {
        switch self {
        case .stream: [.decoded, .arrival, .encoded, .decoding, .late, .spacing]
        case .viewers: [.arrival, .handOver, .play, .playToPacket, .playToDecodable, .firstDecodable, .fanOut]
        case .joins: [.firstDecodable, .play, .playToPacket]
        case .encoding: [.packaged, .besideEncoder, .encoder]
        case .limit: []
        }
    }

    var values: [Quantity.Value] {
        switch self {
        case .stream:
            [
                .connected, .play, .firstPacket, .firstDecodable, .firstDecoded, .jitter, .audioOffset, .clockError,
                .gop, .loss, .lost, .lossBeforeRepair, .lostBeforeRepair, .repaired, .broken, .undecoded, .frames,
                .frameRate, .bitrate,
            ]
        case .viewers:
            [
                .failed, .established, .loss, .lost, .gaps, .duplicates, .reordered, .units, .unitsInTime, .broken,
                .oldestHalfRate, .serverCost,
            ]
        case .joins: [.failed, .joined, .loss, .lost, .gaps]
        case .encoding: [.skipped, .load, .encoderLoad]
        case .limit: [.gsoWithGROCost, .gsoCost, .datagramCost, .tcpCost, .missing]
        }
    }
}
