import Media

/// Makes access units of the NAL units of one codec.
protocol PictureAssembler: Sendable {
    init()

    /// Whether the open access unit has picture data.
    var hasPicture: Bool { get }
    /// Bytes of the parameter sets that it keeps.
    var parameterSetByteCount: Int { get }

    /// Adds a NAL unit; returns the NAL units of the previous access unit if this one begins another.
    mutating func received(_ unit: [UInt8]) -> [[UInt8]]?
    /// Ends the access unit.
    mutating func end() -> [[UInt8]]?

    /// Whether decoding can start at a picture with this NAL unit: a slice that needs no other picture, or SEI with a recovery point,
    /// which encoders with intra refresh or open groups of pictures send.
    static func isRandomAccessPoint(_ unit: [UInt8]) -> Bool
}

extension H264.AccessUnitAssembler: PictureAssembler {
    init() {
        self.init(parameterSets: H264.ParameterSetTracker())
    }

    var parameterSetByteCount: Int { parameterSets.byteCount }

    mutating func received(_ unit: [UInt8]) -> [[UInt8]]? { push(unit)?.units }
    mutating func end() -> [[UInt8]]? { flush()?.units }

    static func isRandomAccessPoint(_ unit: [UInt8]) -> Bool {
        switch H264.NALUnitHeader(of: unit)?.type {
        case .idrSlice: true
        case .supplementalEnhancement:
            H264.SupplementalEnhancement.isPresent(.recoveryPoint, in: unit, headerByteCount: 1)
        default: false
        }
    }
}

extension H265.AccessUnitAssembler: PictureAssembler {
    /// Pictures are separated without them.
    var parameterSetByteCount: Int { 0 }

    mutating func received(_ unit: [UInt8]) -> [[UInt8]]? { push(unit) }
    mutating func end() -> [[UInt8]]? { flush() }

    static func isRandomAccessPoint(_ unit: [UInt8]) -> Bool {
        let type = H265.NALUnitHeader(of: unit)?.type
        guard type == .prefixSupplementalEnhancement else { return type?.isRandomAccessPoint == true }
        let headerByteCount = H265.NALUnitHeader.byteCount
        return H264.SupplementalEnhancement.isPresent(.recoveryPoint, in: unit, headerByteCount: headerByteCount)
    }
}
