/// The sizes of an AU-header's fields in bits, from the `fmtp` attribute of a session description (RFC 3640, section 4.1).
///
/// ```
/// +---------+-----------------------------+
/// | AU-size | AU-Index or AU-Index-delta  |
/// +---------+-----------------------------+
/// ```
public struct AUHeaderLayout: Hashable, Sendable {
    public let sizeLength: Int
    public let indexLength: Int
    public let indexDeltaLength: Int

    /// `nil` unless the size has 1…16 bits and the indexes have 0…8. No audio mode uses other values.
    public init?(sizeLength: Int, indexLength: Int, indexDeltaLength: Int) {
        guard (1...16).contains(sizeLength), (0...8).contains(indexLength), (0...8).contains(indexDeltaLength)
        else { return nil }
        self.init(known: sizeLength, indexLength, indexDeltaLength)
    }

    private init(known sizeLength: Int, _ indexLength: Int, _ indexDeltaLength: Int) {
        self.sizeLength = sizeLength
        self.indexLength = indexLength
        self.indexDeltaLength = indexDeltaLength
    }

    /// `mode=AAC-hbr` (RFC 3640, section 3.3.6): 13, 3, 3.
    public static let highBitRate = AUHeaderLayout(known: 13, 3, 3)
    /// `mode=AAC-lbr` (RFC 3640, section 3.3.5): 6, 2, 2.
    public static let lowBitRate = AUHeaderLayout(known: 6, 2, 2)
}
