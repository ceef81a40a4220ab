/// ITU-T G.711: one byte per sample, with the channels in turn (RFC 3551, section 4.5.14).
public struct G711: Hashable, Sendable {
    public enum Law: Hashable, Sendable {
        case a
        case mu
    }

    public let law: Law
    public let sampleRate: ClockRate
    /// 1 to 8.
    public let channelCount: Int

    /// `nil` unless there are 1 to 8 channels.
    public init?(_ law: Law, sampleRate: ClockRate, channelCount: Int) {
        guard (1...8).contains(channelCount) else { return nil }
        (self.law, self.sampleRate, self.channelCount) = (law, sampleRate, channelCount)
    }

    /// Bytes of the longest access unit here, so that it fits one packet: whole samples of all channels, up to 60 ms of telephony.
    public var maximumUnitByteCount: Int { 480 / channelCount * channelCount }
}
