import Wire

extension H264 {
    /// The content of the `avcC` box: parameter sets, and the length size of NAL units (ISO/IEC 14496-15, 5.3.3.1).
    public struct DecoderConfigurationRecord: Hashable, Sendable {
        public let parameterSets: ParameterSets
        /// Bytes of each length field: 1, 2 or 4.
        public let lengthSize: Int

        /// `nil` unless `bytes` is a version 1 record with at least one parameter set of each kind.
        public init?(parsing bytes: [UInt8]) {
            var reader = ByteReader(bytes.rawSpan)
            guard reader.uint8() == 1, reader.skip(3), let framing = reader.uint8(),
                let sequenceCount = reader.uint8()
            else { return nil }
            var sequence: [[UInt8]] = []
            for _ in 0..<(sequenceCount & 0x1F) {
                guard let count = reader.uint16(), let unit = reader.take(Int(count)) else { return nil }
                sequence.append([UInt8](unit))
            }
            guard let pictureCount = reader.uint8() else { return nil }
            var picture: [[UInt8]] = []
            for _ in 0..<pictureCount {
                guard let count = reader.uint16(), let unit = reader.take(Int(count)) else { return nil }
                picture.append([UInt8](unit))
            }
            guard let sets = ParameterSets(sequence: sequence, picture: picture), framing & 3 != 2 else { return nil }
            parameterSets = sets
            lengthSize = Int(framing & 3) + 1
        }
    }
}
