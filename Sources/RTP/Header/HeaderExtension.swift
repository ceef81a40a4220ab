/// A header extension that Apus can send, in the one-byte form (RFC 8285, section 4.2).
///
/// A further extension is a case here and in `HeaderRewriter`, which writes the value. The options of a path decide which
/// extensions its packets carry (`HeaderExtensionLayout`).
public enum HeaderExtension: UInt8, CaseIterable, Hashable, Sendable {
    // The raw values are the local identifiers in packets of Apus: 1…14.
    case absoluteCaptureTime = 1

    /// The local identifier, 1…14.
    public var identifier: UInt8 { rawValue }

    /// The name that the session description maps to the identifier.
    public var uri: String {
        switch self {
        case .absoluteCaptureTime: AbsoluteCaptureTime.uri
        }
    }

    /// Bytes of its value, 1…8.
    var valueByteCount: Int {
        switch self {
        case .absoluteCaptureTime: AbsoluteCaptureTime.byteCount
        }
    }
}

/// The memory of a block, with room for all extensions together.
@usableFromInline typealias HeaderExtensionMemory = InlineArray<16, UInt8>
