/// When a client's request for a lost packet is answered.
public struct RetransmissionRules: Hashable, Sendable {
    /// A packet is sent again only if it was sent first at most so long ago, in nanoseconds. Later the client has given it up.
    public let patience: Int64
    /// The least time between two retransmissions of one packet, in nanoseconds.
    private let repetitionInterval: Int64
    /// Whether the client asks for packets that are late, and not only for those that others have overtaken: in a long queue all are late.
    public let mayAskForLatePackets: Bool
    /// How long after the start the client repeats its requests late, because it does not know the round trip yet, in nanoseconds.
    public let lateRepetitionTime: Int64

    private init(
        patience: Int64, repetitionInterval: Int64, mayAskForLatePackets: Bool = false, lateRepetitionTime: Int64 = 0
    ) {
        (self.patience, self.repetitionInterval) = (patience, repetitionInterval)
        (self.mayAskForLatePackets, self.lateRepetitionTime) = (mayAskForLatePackets, lateRepetitionTime)
    }

    /// The least time between two retransmissions of one packet to a client with this round trip, in nanoseconds. A request that comes
    /// sooner was sent before the packet can have arrived: GStreamer asks again after 40 ms until it knows the round trip.
    ///
    /// - Parameter roundTrip: as the client reports it; `nil` if unknown.
    public func repetitionInterval(roundTrip: Int64?) -> Int64 {
        // The client may lie, which delays its own repair only. A tenth for jitter.
        let needed = min(max(0, roundTrip ?? 0), patience)
        return max(repetitionInterval, needed + needed / 10)
    }

    /// The rules for libavformat, which gives a packet up 100 ms after the one behind it, asks once per 200 ms, and decodes wrongly
    /// what it receives twice.
    public static let libavformat = Self(patience: 300_000_000, repetitionInterval: 200_000_000)
    /// The rules for Apus as a client (``RetransmissionRequests``), which repeats a request after one round trip, and drops what it receives
    /// twice.
    public static let apus = Self(patience: 1_000_000_000, repetitionInterval: 20_000_000)
    /// The rules for GStreamer, which repeats a request after one round trip, and waits as long as its latency allows.
    public static let gStreamer = Self(
        patience: 1_000_000_000, repetitionInterval: 20_000_000, mayAskForLatePackets: true)
    /// The rules for browsers (libwebrtc), which drop what they receive twice. Every 20 ms they repeat the requests that are older than a
    /// round trip, so the second request for a packet may come less than 20 ms after the first, and further ones come every 20 ms. An interval
    /// of 20 ms would ignore requests that come a little sooner, and a packet that is lost repeatedly would take twice as long.
    ///
    /// At the start they assume a round trip of 100 ms (`NackRequester`). They measure it with their first report (RFC 3611, section 4.4),
    /// after up to 0.75 s, and look at the result twice, once a second each (`ModuleRtpRtcpImpl2`, `CallStats`).
    public static let browser = Self(
        patience: 1_000_000_000, repetitionInterval: 10_000_000, lateRepetitionTime: 3_000_000_000)
}
