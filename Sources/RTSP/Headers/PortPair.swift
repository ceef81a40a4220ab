import Media

/// The RTP and RTCP ports of one track.
public struct PortPair: Hashable, Sendable {
    public var rtp: UInt16
    public var rtcp: UInt16

    public init(rtp: UInt16, rtcp: UInt16) {
        self.rtp = rtp
        self.rtcp = rtcp
    }

    /// The port `rtp` and the one above it, which RTCP uses by default (RFC 3550, section 11).
    public init(rtp: UInt16) {
        self.init(rtp: rtp, rtcp: rtp &+ 1)
    }

    /// The pair of `track` if the first track begins at `first`, and each further track has the next pair.
    public init(of track: TrackID, from first: UInt16) {
        self.init(rtp: first &+ UInt16(truncatingIfNeeded: 2 * track.index))
    }

    /// Whether RTP may use `port`: it should be even (RFC 3550, section 11).
    public static func canBegin(at port: Int) -> Bool { port.isMultiple(of: 2) }
}

/// The interleaved RTP and RTCP channels of one track (RFC 2326, section 10.12).
public struct ChannelPair: Hashable, Sendable {
    public var rtp: UInt8
    public var rtcp: UInt8

    public init(rtp: UInt8, rtcp: UInt8) {
        self.rtp = rtp
        self.rtcp = rtcp
    }

    /// The pair `number` of those that do not overlap: 0-1, 2-3 …
    public init(number: Int) {
        rtp = UInt8(truncatingIfNeeded: 2 * number)
        rtcp = rtp | 1
    }
}
