/// The header extensions that the packets of one RTP stream carry. It is made from the options of the path and announced by DESCRIBE, or
/// made from the offer of a browser, and fixed at SETUP.
public struct HeaderExtensionLayout: Hashable, Sendable, BitwiseCopyable {
    /// The local identifiers: four bits for each extension, at four times its raw value; 0 for those that packets do not carry.
    private(set) var identifiers: UInt32 = 0
    /// The values of the extensions that are the same in all packets.
    private(set) var constants = Constants()
    /// The bytes that the extensions add to a header at most; 0 without extensions.
    public private(set) var byteCount = 0

    /// The values that are the same in all packets.
    struct Constants: Hashable, Sendable, BitwiseCopyable {
        var playoutDelay: UInt32 = 0
        /// The identification, as a number of this many bytes.
        var mediaIdentification: UInt64 = 0
        var mediaIdentificationByteCount = 0
    }

    /// The extensions of RTSP, with the identifiers of Apus.
    public init(_ extensions: [HeaderExtension]) {
        for element in extensions { setIdentifier(element.identifier, of: element) }
        updateByteCount()
    }

    /// The extensions that a client has offered.
    ///
    /// - Parameters:
    ///   - identifiers: those of the client. Others than 1…14 are left out, because the one-byte form has no others.
    ///   - playoutDelay: the value of that extension: 12 bits of the least and 12 of the longest delay, in units of 10 ms.
    ///   - mediaIdentification: the value of that extension. It is left out if it is empty or has more than eight bytes.
    public init(_ identifiers: [HeaderExtension: UInt8], playoutDelay: UInt32 = 0, mediaIdentification: String = "") {
        let identification = Array(mediaIdentification.utf8)
        constants.playoutDelay = playoutDelay
        if identification.count <= 8 {
            constants.mediaIdentification = identification.reduce(0) { $0 << 8 | UInt64($1) }
            constants.mediaIdentificationByteCount = identification.count
        }
        for (element, identifier) in identifiers where (1...14).contains(identifier) {
            setIdentifier(identifier, of: element)
        }
        updateByteCount()
    }

    /// Whether packets carry their number for transport-wide feedback.
    public var hasTransportSequenceNumber: Bool { identifier(of: .transportSequenceNumber) != nil }

    /// The layout with another extension, which has the identifier of Apus, or without it.
    public func with(_ headerExtension: HeaderExtension, _ isPresent: Bool) -> Self {
        var copy = self
        copy.setIdentifier(isPresent ? headerExtension.identifier : 0, of: headerExtension)
        copy.updateByteCount()
        return copy
    }

    /// No extensions.
    public static let none = Self([])
    /// The longest layout.
    static let longest = Self(
        Dictionary(uniqueKeysWithValues: HeaderExtension.allCases.map { ($0, $0.identifier) }),
        mediaIdentification: "12345678")

    /// The extensions in the order of their elements.
    public var extensions: [HeaderExtension] { HeaderExtension.allCases.filter { identifier(of: $0) != nil } }

    /// The local identifier of an extension; `nil` if packets do not carry it.
    func identifier(of element: HeaderExtension) -> UInt8? {
        let identifier = UInt8(truncatingIfNeeded: identifiers >> Self.place(of: element) & 0xF)
        return identifier == 0 ? nil : identifier
    }

    /// Bytes of the value of an extension, at most 8; 0 if it has none.
    func valueByteCount(of element: HeaderExtension) -> Int {
        switch element {
        case .absoluteCaptureTime: AbsoluteCaptureTime.byteCount
        case .transportSequenceNumber: 2
        case .playoutDelay: 3
        case .mediaIdentification: constants.mediaIdentificationByteCount
        }
    }

    private static func place(of element: HeaderExtension) -> UInt32 { 4 * UInt32(element.rawValue) }

    private mutating func setIdentifier(_ identifier: UInt8, of element: HeaderExtension) {
        let place = Self.place(of: element)
        let isCarried = valueByteCount(of: element) > 0
        identifiers = identifiers & ~(0xF << place) | (isCarried ? UInt32(identifier) << place : 0)
    }

    private mutating func updateByteCount() {
        let elements = extensions.reduce(0) { $0 + 1 + valueByteCount(of: $1) }
        byteCount = elements == 0 ? 0 : HeaderExtensionBlock.headByteCount + (elements + 3) & ~3
        precondition(byteCount <= HeaderExtensionMemory.count, "a block has room for all extensions")
    }
}
