import Wire

extension AAC {
    /// The header before each access unit of an ADTS stream (ISO/IEC 14496-3, 1.A.2.2).
    public struct ADTSHeader: Hashable, Sendable {
        /// Bytes of the header: 7, or 9 with a checksum.
        public let byteCount: Int
        /// Bytes of the header and the access unit together.
        public let frameLength: Int
        /// The same parameters as an AudioSpecificConfig for use outside the stream.
        public let configuration: AudioSpecificConfig

        /// Parses the header at the start of `bytes`; `nil` if there is none or if the frame contains several access units.
        public init?(parsing bytes: [UInt8]) {
            var bits = BitReader(bytes.rawSpan)
            guard bits.bits(12) == 0xFFF, bits.skip(3), let hasNoChecksum = bits.flag(), let profile = bits.bits(2),
                let rate = bits.bits(4), bits.skip(1), let channels = bits.bits(3), bits.skip(4),
                let length = bits.bits(13), bits.skip(11), bits.bits(2) == 0
            else { return nil }
            byteCount = hasNoChecksum ? 7 : 9
            frameLength = Int(length)
            // audioObjectType (profile + 1), samplingFrequencyIndex, channelConfiguration, and three zero flags.
            let word = UInt16(profile + 1) << 11 | UInt16(rate) << 7 | UInt16(channels) << 3
            let config = AudioSpecificConfig(parsing: [UInt8(word >> 8), UInt8(word & 0xFF)])
            guard frameLength > byteCount, let config else { return nil }
            configuration = config
        }
    }
}
