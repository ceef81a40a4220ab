import Wire

extension AAC {
    /// The configuration of a LATM multiplex with one program and one layer (ISO/IEC 14496-3, 1.7.3), as `config=` carries it in
    /// hexadecimal digits (RFC 6416, section 7.1).
    public struct StreamMuxConfig: Hashable, Sendable {
        public let configuration: AudioSpecificConfig
        /// Access units in each AudioMuxElement.
        public let unitsPerElement: Int

        /// `nil` if it is truncated, or of a kind that no known sender uses: several programs or layers, version 1, units of a fixed
        /// length, or other codecs than AAC-LC with or without SBR.
        public init?(parsing bytes: [UInt8]) {
            var reader = BitReader(bytes.rawSpan)
            // Some senders leave out what follows the configuration.
            self.init(beginning: &reader)
        }

        /// Reads one that is in the stream (`cpresent=1`, LOAS) to its end; `nil` also if the frames have data of another kind.
        @_lifetime(reader: copy reader)
        public init?(reading reader: inout BitReader) {
            self.init(beginning: &reader)
            // latmBufferFullness; otherDataPresent; crcCheckPresent and the checksum.
            guard reader.skip(8), reader.flag() == false, let hasChecksum = reader.flag(),
                reader.skip(hasChecksum ? 8 : 0)
            else { return nil }
        }

        @_lifetime(reader: copy reader)
        private init?(beginning reader: inout BitReader) {
            guard reader.bits(1) == 0,  // audioMuxVersion
                reader.bits(1) == 1,  // allStreamsSameTimeFraming
                let subframes = reader.bits(6), reader.bits(4) == 0, reader.bits(3) == 0
            else { return nil }
            var copy = reader
            guard Self.skipAudioSpecificConfig(&reader) else { return nil }
            let bytes = Self.bytes(&copy, bitCount: reader.bitOffset - copy.bitOffset)
            guard reader.bits(3) == 0,  // frameLengthType: each unit tells its length
                let configuration = AudioSpecificConfig(parsing: bytes)
            else { return nil }
            self.configuration = configuration
            unitsPerElement = Int(subframes) + 1
        }

        /// Skips an AudioSpecificConfig with a GASpecificConfig (ISO/IEC 14496-3, 1.6.2.1 and 4.4.1); false if it is of another kind.
        private static func skipAudioSpecificConfig(_ reader: inout BitReader) -> Bool {
            guard var objectType = reader.bits(5), skipSamplingFrequency(&reader), let channels = reader.bits(4) else {
                return false
            }
            if objectType == 5 || objectType == 29 {
                guard skipSamplingFrequency(&reader), let core = reader.bits(5) else { return false }
                objectType = core
            }
            // A channel configuration of 0 would be followed by a program config element.
            guard objectType == 2, channels != 0 else { return false }
            // frameLengthFlag, dependsOnCoreCoder with its delay, extensionFlag.
            guard reader.skip(1), let dependsOnCoder = reader.flag() else { return false }
            if dependsOnCoder, !reader.skip(14) { return false }
            return reader.bits(1) == 0 && skipExtensions(&reader)
        }

        /// Skips backward-compatible signalling of SBR and parametric stereo, which libfdk and libavcodec write.
        private static func skipExtensions(_ reader: inout BitReader) -> Bool {
            guard hasNext(0x2B7, in: reader) else { return true }
            guard reader.skip(11), reader.bits(5) == 5, let hasSBR = reader.flag() else { return false }
            guard hasSBR else { return true }
            guard skipSamplingFrequency(&reader) else { return false }
            return hasNext(0x548, in: reader) ? reader.skip(12) : true
        }

        /// Whether the next 11 bits are this syncExtensionType.
        private static func hasNext(_ type: UInt32, in reader: BitReader) -> Bool {
            var copy = reader
            return copy.bits(11) == type
        }

        private static func skipSamplingFrequency(_ reader: inout BitReader) -> Bool {
            guard let index = reader.bits(4) else { return false }
            return index == 15 ? reader.skip(24) : true
        }

        /// The next bits, with zeros up to the end of the last byte.
        private static func bytes(_ reader: inout BitReader, bitCount: Int) -> [UInt8] {
            stride(from: 0, to: bitCount, by: 8).map { offset in
                let length = min(8, bitCount - offset)
                return UInt8(truncatingIfNeeded: (reader.bits(length) ?? 0) << UInt32(8 - length))
            }
        }
    }
}
