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

extension H264.ParameterSets {
    /// The content of an `avcC` box with these sets, for length fields of four bytes; `nil` if a number or length does not fit its
    /// field: 31 sequence and 255 picture parameter sets of 64 KB each.
    public var decoderConfigurationRecord: [UInt8]? {
        guard sequence.count <= 0x1F, picture.count <= 0xFF, (sequence + picture).allSatisfy({ $0.count <= 0xFFFF })
        else { return nil }
        var writer = ByteWriter(capacity: 16 + (sequence + picture).reduce(0) { $0 + 2 + $1.count })
        writer.uint8(1)
        writer.append(sequence[0][1...3])
        // lengthSizeMinusOne is 3; reserved bits are ones.
        writer.uint8(0xFF)
        writer.uint8(0xE0 | UInt8(sequence.count))
        for unit in sequence { writer.appendCounted(unit) }
        writer.uint8(UInt8(picture.count))
        for unit in picture { writer.appendCounted(unit) }
        writeHighProfileFields(to: &writer)
        return writer.bytes
    }

    /// Chroma format and bit depths, which follow unless the profile is Baseline, Main or Extended.
    private func writeHighProfileFields(to writer: inout ByteWriter) {
        guard let set = H264.SequenceParameterSet(parsing: sequence[0]), ![66, 77, 88].contains(set.profile) else {
            return
        }
        // Bounded by the parser: 3 and 14.
        writer.uint8(0xFC | UInt8(set.chromaFormat))
        writer.uint8(0xF8 | UInt8(set.bitDepth - 8))
        writer.uint8(0xF8 | UInt8(set.chromaBitDepth - 8))
        // No sequence parameter set extensions, which are for auxiliary pictures.
        writer.uint8(0)
    }
}

extension ByteWriter {
    /// Writes a parameter set of at most 64 KB behind its length of 16 bits.
    mutating func appendCounted(_ unit: [UInt8]) {
        uint16(UInt16(unit.count))
        append(unit)
    }
}
