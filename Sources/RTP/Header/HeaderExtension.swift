/// A header extension that Apus can send, in the one-byte form (RFC 8285, section 4.2).
///
/// A further extension is a case here and in `HeaderRewriter`, which writes the value. The options of a path, or the offer of a browser,
/// decide which extensions its packets carry (`HeaderExtensionLayout`).
public enum HeaderExtension: UInt8, CaseIterable, Hashable, Sendable {
    // The raw values are the local identifiers in packets of Apus, unless a client has chosen others: 1…7.
    case absoluteCaptureTime = 1
    /// The number of a packet for transport-wide feedback. It is the sequence number, because one track of a transport alone carries it;
    /// so a packet that is sent again keeps its bytes.
    case transportSequenceNumber = 2
    /// How long the receiver may delay frames. It is the same in all packets.
    case playoutDelay = 3
    /// The identification of the track's media description (RFC 9143, section 15). It is the same in all packets.
    case mediaIdentification = 4

    /// The local identifier in packets of Apus, unless a client has chosen another.
    public var identifier: UInt8 { rawValue }

    /// The name that the session description maps to the identifier.
    public var uri: String {
        switch self {
        case .absoluteCaptureTime: AbsoluteCaptureTime.uri
        case .transportSequenceNumber: "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
        case .playoutDelay: "http://www.webrtc.org/experiments/rtp-hdrext/playout-delay"
        case .mediaIdentification: "urn:ietf:params:rtp-hdrext:sdes:mid"
        }
    }
}

/// The memory of a block, with room for all extensions together.
@usableFromInline typealias HeaderExtensionMemory = InlineArray<32, UInt8>
