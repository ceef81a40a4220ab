/// MPEG-4 AAC (ISO/IEC 14496-3).
public enum AAC {
    /// Samples per access unit of AAC-LC with the usual frame length.
    public static let samplesPerAccessUnit = 1024
}

extension AAC {
    /// The decoder configuration, as `config=` carries it in hex (RFC 3640, section 4.1; ISO/IEC 14496-3, 1.6.2.1).
    public struct AudioSpecificConfig: Hashable, Sendable {
        /// The configuration, byte for byte as received.
        public let bytes: [UInt8]
        public let sampleRate: ClockRate
        /// Speaker channels, 1 to 8; 0 if a program config element defines them.
        public let channelCount: Int

        public init(bytes: [UInt8], sampleRate: ClockRate, channelCount: Int) {
            self.bytes = bytes
            self.sampleRate = sampleRate
            self.channelCount = channelCount
        }
    }
}
