/// A header extension that Apus can send, in the one-byte form (RFC 8285, section 4.2).
///
/// A further extension is a case here and in `HeaderRewriter`, which writes the value. The options of a path decide which
/// extensions its packets carry (`HeaderExtensionLayout`).
public enum HeaderExtension: UInt8, CaseIterable, Hashable, Sendable {
    // The raw values are the local identifiers in packets of Apus: 1…14.
    case absoluteCaptureTime = 1
    /// The number of a packet for transport-wide feedback. It is the sequence number, because each track of an RTSP session has a
    /// transport of its own; so a packet that is sent again keeps its bytes.
    case transportSequenceNumber = 2

    /// The local identifier, 1…14.
    public var identifier: UInt8 { rawValue }

    /// The name that the session description maps to the identifier.
    public var uri: String {
        switch self {
        case .absoluteCaptureTime: AbsoluteCaptureTime.uri
        case .transportSequenceNumber: "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
        }
    }

    /// Bytes of its value, 1…8.
    var valueByteCount: Int {
        switch self {
        case .absoluteCaptureTime: AbsoluteCaptureTime.byteCount
        case .transportSequenceNumber: 2
        }
    }
}

/// The memory of a block, with room for all extensions together.
@usableFromInline typealias HeaderExtensionMemory = InlineArray<16, UInt8>
