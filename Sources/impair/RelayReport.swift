import Impairment

/// What the relay has done.
struct RelayReport: Encodable {
    /// When the first packet came, in seconds since 1970; `nil` if none has.
    let began: Double?
    let up: DirectionReport
    let down: DirectionReport
}

/// What one direction has done.
struct DirectionReport: Encodable {
    let link: LinkStatistics
    let punctuality: Punctuality
    /// Packets that the kernel did not take back, because the device was down for example.
    let refusedByKernel: UInt64

    private enum CodingKeys: String, CodingKey {
        case late, refusedByKernel
    }

    func encode(to encoder: any Encoder) throws {
        try link.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(punctuality, forKey: .late)
        try container.encode(refusedByKernel, forKey: .refusedByKernel)
    }
}

/// How late the relay wrote packets after they were due.
struct Punctuality: Encodable {
    private var count: UInt64 = 0
    private var sumNanoseconds: Int64 = 0
    private var worstNanoseconds: Int64 = 0

    mutating func count(lateNanoseconds late: Int64) {
        count += 1
        sumNanoseconds += late
        worstNanoseconds = max(worstNanoseconds, late)
    }

    private enum CodingKeys: String, CodingKey {
        case meanMicroseconds, worstMicroseconds
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(sumNanoseconds / Int64(max(count, 1)) / 1_000, forKey: .meanMicroseconds)
        try container.encode(worstNanoseconds / 1_000, forKey: .worstMicroseconds)
    }
}
