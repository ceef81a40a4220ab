import Wire

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

extension AAC.AudioSpecificConfig {
    /// Parses a configuration; `nil` if it is truncated or uses a reserved rate or channel layout.
    ///
    /// The bytes are kept unchanged, including anything behind the fields parsed here (a program config element, SBR signalled at
    /// the end). With explicit SBR the sample rate is that of the AAC core, whose frames have 1024 samples.
    /// (ISO/IEC 14496-3, 1.6.2.1)
    public init?(parsing bytes: [UInt8]) {
        var reader = BitReader(bytes.rawSpan)
        guard let objectType = Self.audioObjectType(&reader),
            let hertz = Self.samplingFrequency(&reader),
            let sampleRate = ClockRate(hertz: hertz),
            let layout = reader.bits(4), var channelCount = Self.channelCount(ofConfiguration: layout)
        else { return nil }
        if objectType == Self.spectralBandReplication || objectType == Self.parametricStereo {
            // The extension's rate and the core's object type follow. Both must be present.
            guard Self.samplingFrequency(&reader) != nil, Self.audioObjectType(&reader) != nil else { return nil }
            // Parametric stereo makes two channels of a mono core.
            if objectType == Self.parametricStereo, channelCount == 1 { channelCount = 2 }
        }
        self.init(bytes: bytes, sampleRate: sampleRate, channelCount: channelCount)
    }

    /// 2 for AAC-LC, 5 for SBR, 29 for parametric stereo …; 0 if the configuration is truncated.
    public var audioObjectType: Int {
        var reader = BitReader(bytes.rawSpan)
        return Self.audioObjectType(&reader).map(Int.init) ?? 0
    }

    /// Samples of each channel in a raw data block, at the rate of the core: 1024 unless frameLengthFlag is set or the codec is one
    /// with low delay (ISO/IEC 14496-3, 4.4.1 and 4.6.20.2).
    public var samplesPerFrame: Int {
        var reader = BitReader(bytes.rawSpan)
        guard var type = Self.audioObjectType(&reader), Self.samplingFrequency(&reader) != nil, reader.skip(4) else {
            return AAC.samplesPerAccessUnit
        }
        if type == Self.spectralBandReplication || type == Self.parametricStereo {
            guard Self.samplingFrequency(&reader) != nil, let core = Self.audioObjectType(&reader) else {
                return AAC.samplesPerAccessUnit
            }
            type = core
        }
        let isShort = reader.flag() == true
        return switch type {
        case 1...4: isShort ? 960 : 1024
        // Low delay, and enhanced low delay.
        case 23, 39: isShort ? 480 : 512
        default: AAC.samplesPerAccessUnit
        }
    }

    /// Whether a decoder that was opened with one configuration decodes the units of the other: both are equal, except that one of
    /// them may end with the explicit statement that there is no SBR, which FFmpeg writes and most others leave out.
    public func isEquivalent(to other: Self) -> Bool {
        sampleRate == other.sampleRate && channelCount == other.channelCount
            && withoutAbsentExtension == other.withoutAbsentExtension
    }

    /// The bytes without an extension that says only that there is no SBR: syncExtensionType 0x2B7 in 11 bits, object type 5 in 5
    /// bits, and sbrPresentFlag 0 (ISO/IEC 14496-3, 1.6.2.1).
    private var withoutAbsentExtension: ArraySlice<UInt8> {
        audioObjectType == 2 && bytes.count == 5 && bytes.suffix(3) == [0x56, 0xE5, 0x00] ? bytes.prefix(2) : bytes[...]
    }

    private static let spectralBandReplication: UInt32 = 5
    private static let parametricStereo: UInt32 = 29

    /// GetAudioObjectType(): five bits, or 31 and six more.
    private static func audioObjectType(_ reader: inout BitReader) -> UInt32? {
        guard let short = reader.bits(5) else { return nil }
        return short == 31 ? reader.bits(6).map { 32 + $0 } : short
    }

    /// samplingFrequencyIndex in hertz, or the 24 bits behind the escape value 15.
    private static func samplingFrequency(_ reader: inout BitReader) -> Int32? {
        guard let index = reader.bits(4) else { return nil }
        if index == 15 { return reader.bits(24).map(Int32.init) }
        let table: [Int32] = [
            96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
        ]
        return index < table.count ? table[Int(index)] : nil
    }

    /// channelConfiguration as a number of channels; 0 if a program config element defines the channels.
    private static func channelCount(ofConfiguration configuration: UInt32) -> Int? {
        switch configuration {
        case 0...6: Int(configuration)
        case 7, 12, 14: 8
        case 11: 7
        default: nil
        }
    }
}
