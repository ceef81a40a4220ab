/// The SRTP key of a peer that sends media.
public struct SenderKey: Hashable, Sendable {
    public let key: MasterKey
    /// How often the sequence numbers of the peer's sources had wrapped when it sent the key; zero for others.
    public let rolloverCounters: [SSRC: UInt32]

    public init(_ key: MasterKey, rolloverCounters: [SSRC: UInt32] = [:]) {
        (self.key, self.rolloverCounters) = (key, rolloverCounters)
    }
}
