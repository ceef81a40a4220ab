import Wire

extension H265 {
    /// The content of the `hvcC` box: parameter sets, and the length size of NAL units (ISO/IEC 14496-15, 8.3.3.1).
    public struct DecoderConfigurationRecord: Hashable, Sendable {
        /// `nil` if the sets are only in the stream (`hev1`).
        public let parameterSets: ParameterSets?
        /// Bytes of each length field: 1, 2 or 4.
        public let lengthSize: Int

        /// `nil` unless `bytes` is a complete version 1 record.
        public init?(parsing bytes: [UInt8]) {
            var reader = ByteReader(bytes.rawSpan)
            guard reader.uint8() == 1, reader.skip(20), let framing = reader.uint8(), framing & 3 != 2,
                let arrayCount = reader.uint8()
            else { return nil }
            var units: [NALUnitType: [[UInt8]]] = [:]
            for _ in 0..<arrayCount {
                guard let type = reader.uint8(), let count = reader.uint16() else { return nil }
                for _ in 0..<count {
                    guard let length = reader.uint16(), let unit = reader.take(Int(length)) else { return nil }
                    units[NALUnitType(rawValue: type), default: []].append([UInt8](unit))
                }
            }
            parameterSets = ParameterSets(
                video: units[.videoParameterSet] ?? [], sequence: units[.sequenceParameterSet] ?? [],
                picture: units[.pictureParameterSet] ?? [])
            lengthSize = Int(framing & 3) + 1
        }
    }
}
