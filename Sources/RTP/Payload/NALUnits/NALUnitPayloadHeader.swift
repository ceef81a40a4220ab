import Wire

/// The first bytes of a NAL unit, with which every payload also begins, and what they mean in RTP. H.264 and H.265 differ only in
/// this.
public protocol NALUnitPayloadHeader: Hashable, Sendable {
    /// Bytes of the header: 1 or 2.
    static var byteCount: Int { get }

    /// - Parameter second: ignored if the header has only one byte.
    init(first: UInt8, second: UInt8)

    var first: UInt8 { get }
    /// 0 if the header has only one byte.
    var second: UInt8 { get }

    /// The types of aggregates and of fragments.
    static var aggregate: UInt8 { get }
    static var fragment: UInt8 { get }

    /// The type of the NAL unit, or of the payload.
    var type: UInt8 { get }
    /// The same header with the low bits of `type` as its type.
    func replacing(type: UInt8) -> Self
    /// The header of an aggregate that also contains a unit with the header `other`.
    func aggregated(with other: Self) -> Self

    /// Whether a packet can carry a NAL unit with this header: other types have a meaning of their own in RTP.
    var isCarriable: Bool { get }
    /// Whether the bytes may be the start of a start code instead.
    var mayBeStartCode: Bool { get }
    /// Whether it is an access unit delimiter. It is redundant, because timestamps separate access units.
    var isDelimiter: Bool { get }
    /// Whether it is a part of a picture (VCL).
    var isSlice: Bool { get }
    /// Whether decoding can start at its picture.
    var isRandomAccessPoint: Bool { get }
    var isParameterSet: Bool { get }
    /// Whether a decoder needs the NAL unit for no other frame, as far as its header tells.
    var isDisposable: Bool { get }
    var isSupplementalInformation: Bool { get }
}

extension NALUnitPayloadHeader {
    /// `nil` if the bytes are fewer than those of a header.
    init?(_ unit: RawSpan) {
        guard unit.byteCount >= Self.byteCount else { return nil }
        self.init(first: unit.byte(at: 0), second: Self.byteCount > 1 ? unit.byte(at: 1) : 0)
    }

    /// `nil` if the unit is shorter than a header.
    init?(of unit: Range<Int>, in bytes: [UInt8]) {
        self.init(bytes.rawSpan.extracting(unit))
    }
}

extension NALUnitPayloadHeader {
    /// Whether a payload begins a slice at which decoding can start: as a single NAL unit, in an aggregate, or as the first
    /// fragment.
    public static func beginsRandomAccessPoint(_ payload: RawSpan) -> Bool {
        guard let header = Self(payload) else { return false }
        switch header.type {
        case aggregate: return aggregateHoldsRandomAccessPoint(payload)
        case fragment:
            guard payload.byteCount > byteCount else { return false }
            let flags = payload.byte(at: byteCount)
            return flags & 0x80 != 0 && header.replacing(type: flags).isRandomAccessPoint
        default: return header.isRandomAccessPoint
        }
    }

    private static func aggregateHoldsRandomAccessPoint(_ payload: RawSpan) -> Bool {
        var reader = ByteReader(payload)
        _ = reader.skip(byteCount)
        while let length = reader.uint16(), let unit = reader.take(Int(length)) {
            if Self(unit)?.isRandomAccessPoint == true { return true }
        }
        return false
    }
}

extension [UInt8] {
    mutating func append(_ header: some NALUnitPayloadHeader) {
        append(header.first)
        if type(of: header).byteCount > 1 { append(header.second) }
    }
}

extension PacketRun.Writer {
    mutating func append(_ header: some NALUnitPayloadHeader) {
        append(header.first)
        if type(of: header).byteCount > 1 { append(header.second) }
    }
}
