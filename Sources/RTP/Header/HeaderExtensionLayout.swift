/// The header extensions that the packets of one RTP stream carry. It is made from the options of the path, announced by
/// DESCRIBE, and fixed at SETUP.
public struct HeaderExtensionLayout: Hashable, Sendable, BitwiseCopyable {
    /// Bit *n* stands for the extension with the identifier *n*.
    let identifiers: UInt16
    /// The bytes that the extensions add to a header at most; 0 without extensions.
    public let byteCount: Int

    public init(_ extensions: [HeaderExtension]) {
        identifiers = extensions.reduce(0) { $0 | 1 << $1.identifier }
        let elements = Set(extensions).reduce(0) { $0 + 1 + $1.valueByteCount }
        byteCount = elements == 0 ? 0 : HeaderExtensionBlock.headByteCount + (elements + 3) & ~3
        precondition(byteCount <= HeaderExtensionMemory.count, "a block has room for all extensions")
    }

    /// Whether packets carry their number for transport-wide feedback.
    public var hasTransportSequenceNumber: Bool {
        identifiers & 1 << HeaderExtension.transportSequenceNumber.identifier != 0
    }

    /// The layout with another extension, or without it.
    public func with(_ headerExtension: HeaderExtension, _ isPresent: Bool) -> Self {
        Self(extensions.filter { $0 != headerExtension } + (isPresent ? [headerExtension] : []))
    }

    /// No extensions.
    public static let none = Self([])
    /// All extensions that Apus can send.
    static let all = Self(HeaderExtension.allCases)

    /// The extensions in the order of their elements, which is that of the identifiers.
    public var extensions: [HeaderExtension] {
        HeaderExtension.allCases.filter { identifiers & 1 << $0.identifier != 0 }
    }
}
