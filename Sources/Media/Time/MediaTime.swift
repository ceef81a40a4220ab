/// An instant on a stream's capture clock, in ticks of a track's clock rate since the stream's epoch.
///
/// All tracks of a stream share the epoch, so instants of different tracks compare through nanoseconds.
public struct MediaTime: Hashable, Sendable {
    public var ticks: Int64
    public let rate: ClockRate

    public init(ticks: Int64, rate: ClockRate) {
        self.ticks = ticks
        self.rate = rate
    }

    /// The instant `nanoseconds` after the epoch, rounded down to a tick.
    public init(nanoseconds: Int64, rate: ClockRate) {
        self.init(ticks: rate.ticks(inNanoseconds: nanoseconds), rate: rate)
    }

    /// Nanoseconds since the epoch, rounded down.
    public var nanoseconds: Int64 { rate.nanoseconds(inTicks: ticks) }

    /// What an RTP timestamp counts before its random offset is added: the low 32 bits (RFC 3550, section 5.1).
    public var rtpTicks: UInt32 { UInt32(truncatingIfNeeded: ticks) }
}
